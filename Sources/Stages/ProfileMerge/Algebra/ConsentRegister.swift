import Pipeline

/// A consent statement: whether an installation has opted out (dialects 2). A value of the
/// register, without its bytes.
package struct ConsentRegister: BitwiseCopyable, Equatable, Sendable {
  /// The time of the statement, in milliseconds since 1970.
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
