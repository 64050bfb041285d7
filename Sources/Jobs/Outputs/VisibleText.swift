/// How text of others (names of files, ids, values) is shown to people.
extension Unicode.Scalar {
  /// Whether the character can be seen. Others control a terminal, or could disguise text.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension String {
  /// The text with escapes, such as `\u{1B}`, for invisible characters; idempotent.
  package var visible: String {
    unicodeScalars.map { $0.isVisible ? String($0) : $0.escaped(asASCII: true) }.joined()
  }
}

extension String {
  /// JSON text with escapes for invisible characters in its strings, such as U+009B, which a
  /// terminal obeys. Line feeds and tabs stay.
  package var visibleJSON: String {
    unicodeScalars.map { scalar in
      scalar.isVisible || scalar == "\n" || scalar == "\t" ? String(scalar) : scalar.escapedJSON
    }.joined()
  }
}

extension Unicode.Scalar {
  fileprivate var escapedJSON: String {
    String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
