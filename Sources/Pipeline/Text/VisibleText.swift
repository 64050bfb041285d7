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

/// Texts in commands for a shell.
extension String {
  /// The text as a word, of visible characters.
  package var shellWord: String {
    func isPlain(_ byte: UInt8) -> Bool {
      Characters.isLetter(byte) || Characters.isDigit(byte) || "-_./,:=+%@".utf8.contains(byte)
    }
    if !isEmpty, utf8.allSatisfy(isPlain) { return self }
    if unicodeScalars.allSatisfy(\.isVisible) { return "'\(replacing("'", with: "'\\''"))'" }
    let bytes = utf8.map { byte in
      isPlain(byte)
        ? String(Unicode.Scalar(byte)) : "\\" + String(0o1000 + Int(byte), radix: 8).dropFirst()
    }
    return "$'\(bytes.joined())'"
  }

  /// The command that makes the directory of this path.
  package var mkdir: String { "mkdir -p " + (hasPrefix("-") ? "./\(self)" : self).shellWord }
}
