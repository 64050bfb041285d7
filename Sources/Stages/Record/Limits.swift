/// The limits of one record, per version of its form (data-model 7, 9). Lengths are in characters
/// (extended grapheme clusters), counts in items.
package struct Limits: Sendable {
  /// Attributes per object.
  package let attributes: Int
  /// Longest string value or item.
  package let string: Int

  package static let v1 = Limits(attributes: 15, string: 64)
  package static let v2 = Limits(attributes: 20, string: 300)

  // Longest texts.
  package static let label = 200
  package static let tag = 64
  package static let url = 2048
  package static let eventID = 256
  package static let customID = 1024
  package static let installationID = 128
  package static let email = 256
  package static let timezone = 64
  package static let topic = 300
  /// Most digits of a phone number.
  package static let phoneDigits = 15
  /// Shortest and longest language or region, trimmed.
  package static let shortestLocale = 2
  package static let longestLocale = 15
  // Most items.
  package static let tags = 10
  package static let array = 25
  /// Greatest number of attribute names on the path to an array or object.
  package static let nesting = 3
}
