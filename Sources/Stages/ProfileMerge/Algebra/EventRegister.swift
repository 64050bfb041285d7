package import Pipeline

/// The merged events with one name of one profile (data-model 13.3).
///
/// Counts add; times take minimum and maximum; the value is that of the latest event, on equal
/// times the greater bytes. Since the value always belongs to `seen.last`, it has no separate time.
///
/// Events without a time count, but have no first and last time (dialects 5): the value of one
/// yields to that of any event with a time; among themselves the greater bytes win. Their number is
/// kept, because an erase mark removes all of them, whatever it leaves of the others.
package struct EventRegister {
  /// Number of events, including those without a time.
  package var count: Int
  /// How many of them have no time.
  package var untimed: Int
  /// The first and last time of the others; never, when there are none.
  package var seen: Seen
  /// Canonical JSON of the attributes of the latest event; empty when it had none.
  package var value: ByteView

  package init(count: Int, untimed: Int = 0, seen: Seen, value: ByteView) {
    self.count = count
    self.untimed = untimed
    self.seen = seen
    self.value = value
  }

  /// How many events have a time.
  package var timed: Int { count - untimed }

  /// Whether `value` at `time` replaces `other` at `otherTime`.
  package static func valueWins(
    _ value: ByteView, at time: Int, over other: ByteView, at otherTime: Int
  ) -> Bool {
    time != otherTime ? time > otherTime : other < value
  }

  /// Adds the register of another state of the same profile and name.
  package mutating func merge(_ other: EventRegister) {
    count += other.count
    untimed += other.untimed
    // Without times `last` is the minimum.
    if EventRegister.valueWins(other.value, at: other.seen.last, over: value, at: seen.last) {
      value = other.value
    }
    seen.merge(other.seen)
  }

  /// Removes the events without a time; false when no others are left.
  package mutating func dropUntimed() -> Bool {
    count -= untimed
    untimed = 0
    return !seen.isNever
  }
}
