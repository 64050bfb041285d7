package import Pipeline

/// A value of a register that keeps one per key (``RegisterKind``); the merge keeps the latest, on
/// equal times the greater bytes: of two flags `true`.
package struct TimedValue {
  /// Milliseconds since 1970.
  package let time: Int
  /// Canonical JSON.
  package let value: ByteView

  package init(time: Int, value: ByteView) {
    self.time = time
    self.value = value
  }

  /// Whether it is a flag that is set.
  var isTrue: Bool { value == "true" }

  /// Whether a merge of the two keeps this one. Equal ones do not win over each other.
  package func wins(over other: TimedValue) -> Bool {
    time != other.time ? time > other.time : other.value < value
  }
}
