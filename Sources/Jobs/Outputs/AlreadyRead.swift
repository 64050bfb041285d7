import Pipeline

/// An input that a run skipped, because an earlier night of its chain had read it.
struct AlreadyRead: Equatable, Sendable {
  /// The path as found.
  let path: String
  let facts: FileHash
  /// The path under which an earlier night read the same content.
  let earlier: String

  /// Writes the fields of the manifest's entry.
  func write(to json: inout JSONWriter) {
    json.member("path", path)
    json.member("bytes", facts.bytes)
    json.member("xxh64", XXH64.text(facts.xxh64))
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

/// An input with the same content as another one of the same run. Both count: two machines may log
/// the same. But it may also be a file that was delivered twice.
package struct RepeatedInput: Sendable, Equatable {
  package let path: String
  /// The first input with this content, in path order.
  package let first: String

  /// The inputs with lines that were read to their ends and have the content of an earlier one.
  static func among(_ outcomes: [InputOutcome]) -> [RepeatedInput] {
    var first: [FileHash: String] = [:]
    var repeated: [RepeatedInput] = []
    for outcome in outcomes {
      guard outcome.lost == nil, let summary = outcome.summary, summary.lines > 0 else { continue }
      let facts = FileHash(bytes: summary.compressedBytes, xxh64: summary.hash)
      if let known = first[facts] {
        repeated.append(RepeatedInput(path: outcome.file.path, first: known))
      } else {
        first[facts] = outcome.file.path
      }
    }
    return repeated
  }
}
