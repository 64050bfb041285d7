package import Pipeline
import Stages

/// Prints the states of the keys of an output as lines of JSON (`eventmill inspect --state`,
/// docs/reference/file-formats.md). For published profiles see ``ProfileLookup``.
package struct InspectJob {
  private static let doing = "inspecting"
  /// The most names that `--max-names` allows.
  static let mostNames = 100_000_000

  private let output: String
  private let control: JobControl

  /// A job that reads the output in the directory `output`.
  package init(_ output: String, control: JobControl) {
    (self.output, self.control) = (output, control)
  }

  /// Calls `body` with lines of all keys: part by part, in key order.
  ///
  /// - Throws: `usage`, when the directory is not an output; `corrupt`, `io`; what `body` throws.
  package func run(_ body: (ByteView) throws(Failure) -> Void) throws(Failure) {
    let run = try Output(output, system: control.system)
    var lines = try Lines(of: run)
    for partition in 0..<run.partitions { try print(partition, of: run, &lines, body) }
  }

  /// Calls `body` with lines of the keys of one part, in order.
  ///
  /// - Throws: as ``run(_:)``.
  func run(
    partition: Int, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    let run = try Output(output, system: control.system)
    var lines = try Lines(of: run)
    try print(partition, of: run, &lines, body)
  }

  private func print(
    _ partition: Int, of run: Output, _ lines: inout Lines,
    _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    let part = try run.part(partition)
    for section in KeySection.allCases {
      for stretch in part.stretches(section) {
        try control.check()
        try lines.forEach(in: stretch, of: part, body)
      }
    }
  }

  /// Calls `body` with the line of the key `key`.
  ///
  /// - Returns: false when the state does not have it.
  /// - Throws: as ``run(_:)``.
  package func run(
    key text: String, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let run = try Output(output, system: control.system)
    let key = ByteBuffer(text: text)
    guard KeySection(of: key.view) != nil else {
      throw Failure(
        .usage, doing: Self.doing, path: output, why: "\"\(text)\" is not a key of a state",
        advice: "write custom:ID, install:ID or anonymous:DIGITS")
    }
    let part = try run.part(
      KeyHash.partition(XXH64.hash(key.view), of: run.partitions))
    var lines = try Lines(of: run)
    return try lines.find(key.view, in: part, body)
  }

  /// Makes lines of the keys of an output.
  private struct Lines: ~Copyable {
    private let cursor: RunCursor
    private var lines: StateLines
    private var text = ByteBuffer()

    init(of run: Output) throws(Failure) {
      // As many as a run may have been allowed.
      let names = RunNames(limit: InspectJob.mostNames)
      _ = try run.totals(names)
      if let failure = names.failure { throw failure }
      // All names that its states may have.
      let known = SnapshotNames(names)
      cursor = try RunCursor(names: names, known: known)
      lines = StateLines(known)
    }

    mutating func forEach(
      in stretch: Int, of part: SortedRun, _ body: (_ line: ByteView) throws(Failure) -> Void
    ) throws(Failure) {
      try cursor.begin(stretch: stretch, of: part)
      while try cursor.next() != nil { try body(line()) }
    }

    /// Calls `body` with the line of a key; false when the part does not have it.
    mutating func find(
      _ key: ByteView, in part: SortedRun, _ body: (_ line: ByteView) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
      guard try cursor.find(key, in: part) != nil else { return false }
      try body(line())
      return true
    }

    /// The line of the key at the cursor.
    private mutating func line() throws(Failure) -> ByteView {
      text.removeAll()
      lines.append(try cursor.whole(keepsIDs: true), to: &text)
      return text.view
    }
  }
}
