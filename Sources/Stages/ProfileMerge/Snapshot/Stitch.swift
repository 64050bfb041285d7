/// Which installations are published with the person they belong to (data-model 13.8).
package enum Stitch: String, CaseIterable, Sendable {
  /// An installation folds into the custom id of its earliest link.
  case first
  /// Nothing folds.
  case none
}
