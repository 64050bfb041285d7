/// The form a record is written in (SPEC 3, 11). Nothing after the reader depends on it, except the
/// limits of its version and the count per dialect.
@frozen
package enum Dialect: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case v1
  case v2

  /// The name in reports, rejects and options.
  package var name: String {
    switch self {
    case .v1: "v1"
    case .v2: "v2"
    }
  }
}
