import Pipeline

/// An input that a run skipped, because its content is read under another name of the run, or an
/// earlier night of its chain has read it.
struct AlreadyRead: Equatable, Sendable {
  /// The path as found.
  let path: String
  let facts: FileHash
  let content: ContentFacts
  /// The path under which the same content is or was read.
  let earlier: String

  /// Writes the fields of the manifest's entry.
  func write(to json: inout JSONWriter) {
    json.member("path", path)
    json.member("bytes", facts.bytes)
    json.member("xxh64", XXH64.text(facts.xxh64))
    content.write(to: &json)
    json.member("as", earlier)
  }

  /// Writes the fields of the report's entry: that it was skipped and why, and an empty ledger.
  func writeReport(to json: inout JSONWriter) {
    json.member("path", path)
    json.object("skipped") { json in
      json.member("as", earlier)
      json.member("xxh64", XXH64.text(facts.xxh64))
    }
    Ledger().write("ledger", to: &json)
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

extension ContentFacts {
  /// Writes the field `content` of the open object.
  func write(to json: inout JSONWriter) {
    json.object("content") { json in
      json.member("bytes", bytes)
      json.member("xxh64", XXH64.text(xxh64))
      json.member("first_line", XXH64.text(firstLine))
    }
  }

  /// Reads what ``write(to:)`` wrote.
  init(_ value: JSONValue, _ sizes: inout CountReader) throws(FactsDamage) {
    guard let xxh64 = value["xxh64"]?.xxh64, let firstLine = value["first_line"]?.xxh64 else {
      throw FactsDamage("the content of an input has no hash")
    }
    self.init(
      bytes: try sizes.read(value["bytes"], "the length of a content"), xxh64: xxh64,
      firstLine: firstLine)
  }
}

extension InputStart {
  /// Writes the field `grown` of the open object.
  func write(to json: inout JSONWriter) {
    json.object("grown") { json in
      json.member("known_bytes", known)
      json.member("known_xxh64", XXH64.text(hash))
      json.member("offset", offset)
      json.member("lines_before", lines)
    }
  }

  /// Reads what ``write(to:)`` wrote.
  init(_ value: JSONValue, _ sizes: inout CountReader) throws(FactsDamage) {
    guard let hash = value["known_xxh64"]?.xxh64 else {
      throw FactsDamage("what is known of an input has no hash")
    }
    self.init(
      known: try sizes.read(value["known_bytes"], "the known length of an input"), hash: hash,
      offset: try sizes.read(value["offset"], "the offset of what is new in an input"),
      lines: try sizes.read(value["lines_before"], "the number of known lines of an input"))
  }
}
