/// Times of events where they are plain numbers: milliseconds since 1970, or ``absent``.
package enum EventTime {
  /// Stands for the time of an event that has none (dialects 5): such an event counts and is never
  /// seen.
  ///
  /// Later than every time there is, so that the id of such an event is never too old; and the
  /// greatest number that a record of 48 bits for it can hold.
  package static let absent = (1 << 47) - 1
}
