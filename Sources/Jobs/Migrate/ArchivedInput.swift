import Pipeline

/// A migrated input: what was read, and what was written.
struct ArchivedInput: Document {
  var number = 0
  /// Its state before it was read.
  private(set) var state = InputState()
  var log = WrittenFile()
  /// Its rejects; nil when there are none.
  var rejects: WrittenFile?
  /// Its ledger, reasons and losses; of this input alone.
  private(set) var facts = PartialFacts()
  /// Whether an earlier, interrupted job had finished it.
  var isResumed = false

  /// Identifies the input: the bytes of its path.
  var key: FilePath { FilePath(state.path) }
  /// Whether it could not be read to its end (`--keep-going`), or is not a log.
  var isUnfinished: Bool { facts.outcomes.contains(where: \.isUnfinished) }

  /// The file that marks the input as finished.
  static let fields: [Field<ArchivedInput>] = [
    .format("eventmill_migrated", 2), .value("state", \.state), .value("log", \.log),
    .maybe("rejects", \.rejects), .value("facts", \.facts),
  ]

  func check() throws(DocumentDamage) {
    guard facts.outcomes.map(\.file.path) == [state.path] else {
      throw DocumentDamage("are not those of the input").inside("facts")
    }
  }
}
