import Pipeline

/// An input that a run did not read, because an earlier night of its chain had.
struct AlreadyRead: Equatable, Sendable {
  /// As it was found.
  let path: String
  let facts: FileHash
  /// The path under which an earlier night read the same content.
  let earlier: String

  /// Writes the members of the manifest's entry.
  func write(to json: inout JSONWriter) {
    json.member("path", path)
    json.member("bytes", facts.bytes)
    json.member("xxh64", XXH64.text(facts.xxh64))
    json.member("as", earlier)
  }

  /// Writes the members of the report's entry: that it was skipped and why, and an empty ledger.
  func writeReport(to json: inout JSONWriter) {
    json.member("path", path)
    json.object("skipped") { json in
      json.member("as", earlier)
      json.member("xxh64", XXH64.text(facts.xxh64))
    }
    Ledger().write("ledger", to: &json)
  }
}
