package import Pipeline

/// What is known of one event name of one profile (data-model 13.3).
///
/// Counts add; times take minimum and maximum; the value is that of the latest event, on equal
/// times the greater bytes. Since the value always belongs to `seen.last`, it has no time of its
/// own.
///
/// Events without a time count, too, and are never seen (dialects 5): the value of one gives way to
/// that of any event with a time, and among themselves the greater bytes win. How many they are is
/// kept, because a mark that erases takes them all, whatever it leaves of the others.
package struct EventRegister {
  /// Events, those without time among them.
  package var count: Int
  /// How many of them have no time.
  package var untimed: Int
  /// When the others happened; never, when there are none.
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

  /// Takes in what another state of the same profile and name knows.
  package mutating func merge(_ other: EventRegister) {
    count += other.count
    untimed += other.untimed
    // Where nothing was seen `last` is the least time there is.
    if EventRegister.valueWins(other.value, at: other.seen.last, over: value, at: seen.last) {
      value = other.value
    }
    seen.merge(other.seen)
  }

  /// Forgets the events without time; false when no others are left.
  package mutating func dropUntimed() -> Bool {
    count -= untimed
    untimed = 0
    return !seen.isNever
  }
}
