import Pipeline

/// A migrated input: what was read, and what was written.
struct ArchivedInput {
  /// Number of its files in the checkpoint.
  let number: Int
  /// Its state before it was read.
  let state: InputState
  /// The canonical log, in the checkpoint.
  let log: WrittenFile
  /// Its rejects; nil when there are none.
  let rejects: WrittenFile?
  /// Its ledger, reasons and losses; of this input alone.
  let facts: PartialFacts
  /// Whether an earlier, interrupted job had finished it.
  var isResumed = false

  /// Identifies the input: the bytes of its path.
  var key: [UInt8] { Array(state.path.utf8) }
  /// Whether it could not be read to its end (`--keep-going`), or is not a log.
  var isUnfinished: Bool { facts.outcomes.contains(where: \.isUnfinished) }
}

// MARK: - As a file

extension ArchivedInput {
  /// Version of the file's format.
  private static let formatVersion = 1

  /// The text of the file that marks the input as finished.
  func json() -> ByteBuffer {
    JSONWriter.document { json in
      json.member("eventmill_migrated", Self.formatVersion)
      json.object("state") { json in state.write(to: &json) }
      json.object("log") { json in Self.write(log, to: &json) }
      if let rejects { json.object("rejects") { json in Self.write(rejects, to: &json) } }
      json.object("facts") { json in facts.write(to: &json) }
    }
  }

  private static func write(_ file: WrittenFile, to json: inout JSONWriter) {
    json.member("bytes", file.bytes)
    json.member("lines", file.lines)
    json.member("xxh64", XXH64.text(file.xxh64))
  }

  /// Reads what ``json()`` wrote; nil for anything else. The files are those of `number`.
  init?(_ root: JSONValue, number: Int, log: String, rejects: String) {
    guard root["eventmill_migrated"]?.int == Self.formatVersion,
      let state = root["state"].flatMap(InputState.init),
      let log = root["log"].flatMap({ Self.file($0, log) }), let facts = root["facts"],
      let read = try? PartialFacts(facts), read.outcomes.count == 1,
      read.outcomes[0].file.path == state.path
    else { return nil }
    self.number = number
    self.state = state
    self.log = log
    self.facts = read
    isResumed = true
    guard let item = root["rejects"] else {
      self.rejects = nil
      return
    }
    guard let file = Self.file(item, rejects) else { return nil }
    self.rejects = file
  }

  private static func file(_ item: JSONValue, _ path: String) -> WrittenFile? {
    guard let bytes = item["bytes"]?.count, let lines = item["lines"]?.count,
      let hash = item["xxh64"]?.xxh64
    else { return nil }
    return WrittenFile(path: path, bytes: bytes, lines: lines, xxh64: hash)
  }
}
