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
