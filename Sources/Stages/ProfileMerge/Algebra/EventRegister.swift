package import Pipeline

/// What is known of one event name of one profile (SPEC 8.2).
///
/// Counts add; times take minimum and maximum; the value is that of the latest event, on equal
/// times the greater bytes. Since the value always belongs to `seen.last`, it has no time of its own.
package struct EventRegister {
  package var count: Int
  package var seen: Seen
  /// Canonical JSON of the attributes of the latest event; empty when it had none.
  package var value: ByteView

  package init(count: Int, seen: Seen, value: ByteView) {
    self.count = count
    self.seen = seen
    self.value = value
  }

  /// Whether `value` at `time` replaces `other` at `otherTime`.
  package static func valueWins(
    _ value: ByteView, at time: Int, over other: ByteView, at otherTime: Int
  ) -> Bool {
    time != otherTime ? time > otherTime : other < value
  }

  /// Takes in what another state of the same profile and name knows.
  package mutating func merge(_ other: EventRegister) {
    count += other.count
    if EventRegister.valueWins(other.value, at: other.seen.last, over: value, at: seen.last) {
      value = other.value
    }
    seen.merge(other.seen)
  }
}
