import Pipeline

/// Whether an installation has opted out (dialects 2): a value of the register, without its bytes.
package struct ConsentRegister: BitwiseCopyable, Equatable, Sendable {
  /// When it was said, in milliseconds since 1970.
  package let time: Int
  package let isOptedOut: Bool

  package init(time: Int, isOptedOut: Bool) {
    self.time = time
    self.isOptedOut = isOptedOut
  }

  private var value: TimedValue { TimedValue(time: time, value: isOptedOut ? "true" : "false") }

  /// Whether a merge of the two keeps this one. Equal ones do not win over each other.
  package func wins(over other: ConsentRegister) -> Bool { value.wins(over: other.value) }
}
