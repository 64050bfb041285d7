/// The first fault of a line that is not valid JSON, and its position.
package struct ScanFault: Error, Sendable {
  /// The fault of the line (data-model 17).
  package enum Kind: Sendable {
    case invalidJSON
    case moreText
    /// A container opens below level ``Scanner/maxDepth``.
    case tooDeep
  }

  package let kind: Kind
  /// Offset in the line, in bytes: the first invalid byte, or the backslash of a bad escape; the
  /// length of the line when the line ends too early.
  package let offset: Int
  /// What is valid there, as in "a value".
  package let expected: StaticString
}

package enum ScanResult: Sendable {
  /// One JSON value of any kind; `root` is the index of its entry.
  case value(root: Int)
  /// Not a JSON value; the tape is unchanged.
  case fault(ScanFault)
}
