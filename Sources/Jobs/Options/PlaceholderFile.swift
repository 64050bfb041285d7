package import Pipeline
package import Stages

/// The file of `--nobody`: words that are not ids, one per line. Blank lines are skipped.
package enum PlaceholderFile {
  private static let doing = "reading the placeholders in"

  /// The built-in placeholders and the words in the file `path`.
  package static func load(_ path: String, system: System = .real) throws(Failure) -> Placeholders {
    let file = try PositionedFile(named: path, doing: doing, system: system)
    let longest = Placeholders.mostAdded * 64
    guard file.size <= longest else { throw bad(path, "it is longer than \(longest) bytes") }
    let text = try file.text()
    var words: [String] = []
    var lines = LineCursor(bytes: text.view)
    var number = 0
    while let line = lines.next() {
      number += 1
      let word = Characters.trimmed(text[line])
      if word.isEmpty { continue }
      guard UTF8Check.isValid(word) else { throw bad(path, "it is not UTF-8", line: number) }
      guard word.count <= Placeholders.longestAdded else {
        throw bad(path, "it is longer than an id", line: number)
      }
      words.append(word.text)
    }
    guard words.count <= Placeholders.mostAdded else {
      throw bad(path, "it has more than \(Placeholders.mostAdded) words")
    }
    return Placeholders(added: words)
  }

  private static func bad(_ path: String, _ why: String, line: Int? = nil) -> Failure {
    Failure(
      .usage, doing: doing, path: path, line: line, why: why, advice: "write one word per line")
  }
}
