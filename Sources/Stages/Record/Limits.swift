/// The limits of one record, per version of its form (data-model 7, 9). Lengths are in characters
/// (extended grapheme clusters), counts in items.
package struct Limits: Sendable {
  /// Attributes per object.
  package let attributes: Int
  /// Longest string value in an event.
  package let string: Int
  /// Longest string value or item in a profile operation.
  package let operationString: Int

  /// Longest label.
  package static let label = 200
  /// Most tags of one event.
  package static let tags = 10
  /// Longest tag.
  package static let tag = 64
  /// Longest URL.
  package static let url = 2048
  /// Most items of an array.
  package static let array = 25
  /// Greatest number of attribute names on the path to an array or object.
  package static let nesting = 3
  /// Longest event id.
  package static let eventID = 256
  /// Longest custom id.
  package static let customID = 1024
  /// Longest installation id.
  package static let installationID = 128
  /// Longest e-mail address.
  package static let email = 256
  /// Most digits of a phone number.
  package static let phoneDigits = 15
  /// Shortest language or region, trimmed.
  package static let shortestLocale = 2
  /// Longest language or region, trimmed.
  package static let longestLocale = 15
  /// Longest time zone.
  package static let timezone = 64
  /// Longest topic.
  package static let topic = 300

  /// The limits of the v1 forms.
  package static let v1 = Limits(
    attributes: 15, string: 64, operationString: 64)
  /// The limits of the v2 form.
  package static let v2 = Limits(
    attributes: 20, string: 300, operationString: 300)
}
