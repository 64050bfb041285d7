/// What of a record stands where, and so which rules hold for it: all that the stages after the
/// reader need to know of a dialect.
package enum RecordForm: UInt8, BitwiseCopyable, Sendable {
  /// Parts stand in the line as v1 has them; the limits of v1 (data-model 7), and the migration.
  case v1
  /// Parts stand in the line as v2 has them; the limits of v2.
  case v2
  /// The reader has drafted the parts as v2 has them, behind the line; the limits of v2.
  case drafted
}
