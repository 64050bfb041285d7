/// Whether an installation has opted out (dialects 2); the merge keeps the latest word, on equal
/// times the opt-out.
package struct ConsentRegister: BitwiseCopyable, Equatable, Sendable {
  /// When it was said, in milliseconds since 1970.
  package let time: Int
  package let isOptedOut: Bool

  package init(time: Int, isOptedOut: Bool) {
    self.time = time
    self.isOptedOut = isOptedOut
  }

  /// Whether a merge of the two keeps this one. Equal ones do not win over each other.
  package func wins(over other: ConsentRegister) -> Bool {
    time != other.time ? time > other.time : isOptedOut && !other.isOptedOut
  }
}
