import Pipeline

/// An input that a run skipped, because its content is read under another name of the run, or an
/// earlier night of its chain has read it.
struct AlreadyRead: Document, Equatable, Sendable {
  /// The path as found.
  private(set) var path = ""
  private(set) var facts = FileHash()
  private(set) var content = ContentFacts()
  /// The path under which the same content is or was read.
  private(set) var earlier = ""

  static let fields: [Field<AlreadyRead>] = [
    .value("path", \.path), .size("bytes", \.facts.bytes), .value("xxh64", \.facts.xxh64),
    .value("content", \.content), .value("as", \.earlier),
  ]

  init() {}

  init(path: String, facts: FileHash, content: ContentFacts, earlier: String) {
    (self.path, self.facts, self.content, self.earlier) = (path, facts, content, earlier)
  }

  /// Writes that it was skipped, and why, as fields of the open object.
  func writeSkipped(to json: inout JSONWriter) {
    json.member("path", path)
    json.object("skipped") { json in
      json.member("as", earlier)
      json.member("xxh64", XXH64.text(facts.xxh64))
    }
  }
}

/// An input that has, or begins with, the content of another one.
package struct RepeatedInput: Sendable, Equatable {
  package let path: String
  /// The other one, whose content is read or was read before.
  package let first: String

  /// The inputs with lines that were read to their ends and have the content of an earlier one in
  /// path order. Only with `--reingest` a run reads such inputs.
  static func among(_ outcomes: [InputOutcome]) -> [RepeatedInput] {
    var first: [ContentFacts: String] = [:]
    var repeated: [RepeatedInput] = []
    for outcome in outcomes {
      guard let content = outcome.content, content.hasLines else { continue }
      if let known = first[content] {
        repeated.append(RepeatedInput(path: outcome.file.path, first: known))
      } else {
        first[content] = outcome.file.path
      }
    }
    return repeated
  }
}
