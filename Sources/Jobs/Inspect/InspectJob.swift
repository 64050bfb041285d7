package import Pipeline
import Stages

/// Prints the states of the keys of an output as lines of JSON (`eventmill inspect --state`,
/// docs/reference/file-formats.md). For published profiles see ``ProfileLookup``.
package struct InspectJob {
  private static let doing = "inspecting"
  static let mostNames = 100_000_000

  private let output: String
  private let control: JobControl

  package init(_ output: String, control: JobControl) {
    (self.output, self.control) = (output, control)
  }

  /// Calls `body` with lines of all keys, or those of one part: part by part, in key order.
  /// - Throws: `usage`, when the directory is not an output; `corrupt`, `io`; what `body` throws.
  package func run(
    partition: Int? = nil, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    let run = try Output(output, system: control.system)
    var lines = try Lines(of: run)
    for number in partition.map({ $0..<$0 + 1 }) ?? 0..<run.partitions {
      let part = try run.part(number)
      for stretch in KeySection.allCases.flatMap({ part.stretches($0) }) {
        try control.check()
        try lines.cursor.begin(stretch: stretch, of: part)
        while try lines.cursor.next() != nil { try body(lines.line()) }
      }
    }
  }

  /// Calls `body` with the line of the key `key`.
  /// - Returns: false when the state does not have it.
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
    let part = try run.part(KeyHash.partition(XXH64.hash(key.view), of: run.partitions))
    var lines = try Lines(of: run)
    guard try lines.cursor.find(key.view, in: part) != nil else { return false }
    try body(lines.line())
    return true
  }

  /// Makes lines of the keys of an output.
  private struct Lines: ~Copyable {
    let cursor: RunCursor
    private var lines: StateLines
    private var text = ByteBuffer()

    init(of run: Output) throws(Failure) {
      // All names that its states may have.
      let names = try run.namedTotals().names
      let known = SnapshotNames(names)
      cursor = RunCursor(try KeyFrameReader(names: names, known: known.lists))
      lines = StateLines(known)
    }

    mutating func line() throws(Failure) -> ByteView {
      text.removeAll()
      lines.append(try cursor.whole(keepsIDs: true), to: &text)
      return text.view
    }
  }
}

extension Output {
  /// The totals of the state, and its names, as many as a run may have been allowed.
  func namedTotals() throws(Failure) -> (totals: StateTotals, names: RunNames) {
    let names = RunNames(limit: InspectJob.mostNames)
    let totals = try totals(names)
    if let failure = names.failure { throw failure.at(path) }
    return (totals, names)
  }
}
