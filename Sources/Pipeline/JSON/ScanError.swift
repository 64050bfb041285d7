/// Why a line is no JSON value, and where.
package struct ScanFault: Error, Sendable {
  /// What is wrong with the line (data-model 17).
  package enum Kind: Sendable {
    /// The text breaks RFC 8259.
    case invalidJSON
    /// A container opens below level ``Scanner/maxDepth``.
    case tooDeep
  }

  package let kind: Kind
  /// Offset in the line, in bytes: the first byte that cannot stand where it stands, or the
  /// backslash of a bad escape; the length of the line when the line ends too early.
  package let offset: Int
  /// What should have stood there, as in "a value".
  package let expected: StaticString
}

/// What came of scanning one line.
package enum ScanResult: Sendable {
  /// The line is one JSON value of any kind; `root` is the index of its entry.
  case value(root: Int)
  /// The line is no JSON value; the tape is as it was.
  case fault(ScanFault)
}
