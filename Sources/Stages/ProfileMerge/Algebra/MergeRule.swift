/// The part of a total order by which one value wins over another (data-model 13): the first part
/// in which they differ.
package enum MergeRule: Sendable {
  case time
  /// A set before an unset, a removal before an addition.
  case kind
  /// The greater bytes; of earliest links the smaller ones.
  case bytes
  /// A plain key before `date(…)` before `url(…)`.
  case form
}
