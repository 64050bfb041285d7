/// How text of others (names of files, ids, values) is shown to people, in the terminal, in logs of
/// the program and in its pages.
extension Unicode.Scalar {
  /// Whether the character can be seen. Others control a terminal, or reorder or hide text, which
  /// could disguise it.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension String {
  /// The text with escapes, such as `\u{1B}`, for invisible characters. Of a text that has been
  /// escaped it is the same text.
  package var visible: String {
    unicodeScalars.map { $0.isVisible ? String($0) : $0.escaped(asASCII: true) }.joined()
  }
}

extension String {
  /// JSON text with escapes for invisible characters in its strings, such as U+009B, which JSON
  /// allows but a terminal obeys. Line feeds and tabs stay.
  package var visibleJSON: String {
    unicodeScalars.map { scalar in
      scalar.isVisible || scalar == "\n" || scalar == "\t" ? String(scalar) : scalar.escapedJSON
    }.joined()
  }
}

extension Unicode.Scalar {
  /// The character as it is escaped in a JSON string.
  fileprivate var escapedJSON: String {
    String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
