import Pipeline
import Stages

/// Checks the entries of the rejects (data-model 15): their fields, their inputs, and their order;
/// and counts them per input. A redrive does not know the inputs and the order.
final class RejectCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  let needsObjects: Bool
  /// The numbers of rejected and refused parts so far, by index of the input in the manifest.
  private(set) var ledgers: [Ledger]
  /// The greatest line numbers of the inputs, by index in the manifest; nil if they are unknown.
  private let lines: [Int]?
  private let numbers: [FilePath: Int]
  /// The source of the previous entry, which most entries share.
  private var lastSource = ByteBuffer()
  private var lastNumber: Int?

  /// A check of entries about `inputs`, which are in the order of the entries, if they are known;
  /// of no line, if it `keepsAll`.
  init(inputs: [ManifestInput]?, keepsAll: Bool = false) {
    needsObjects = !keepsAll
    ledgers = Array(repeating: Ledger(), count: inputs?.count ?? 0)
    lines = inputs?.map { $0.lastRecord ?? ($0.start?.lines ?? 0) + $0.lines }
    numbers = Dictionary((inputs ?? []).enumerated().map { (FilePath($1.path), $0) }) {
      first, _ in first
    }
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    let entry: RejectEntry
    do throws(RejectEntry.Damage) {
      entry = try RejectEntry(root, of: tape)
    } catch {
      return findings.add(.badEntry, error.why)
    }
    guard let lines else { return }
    let areSound = entry.reasons.allSatisfy { reason in
      tape.string(at: tape.member("code", of: reason)).map { !$0.isEmpty } ?? false
        && tape.string(at: tape.member("message", of: reason)) != nil
    }
    if entry.reasons.isEmpty || !areSound { findings.add(.rejectWithoutReason) }
    let source = tape.bytes(at: entry.source)
    guard let number = number(of: source) else {
      return findings.add(.rejectOfNoInput, source.shown)
    }
    if entry.line > lines[number] { findings.add(.rejectOfNoLine, entry.line, lines[number]) }
    switch entry.scope {
    case .line: ledgers[number].rejectedLines += 1
    case .event: ledgers[number].rejected += 1
    case .operation: ledgers[number].refused += 1
    }
    // Big-endian, so that byte order is numeric order.
    for part in [number, entry.line, entry.offset, Int(entry.scope.rawValue), entry.index] {
      key.append(word64: UInt64(part).byteSwapped)
    }
  }

  private func number(of source: ByteView) -> Int? {
    if lastNumber == nil || lastSource.view != source {
      lastSource.removeAll()
      lastSource.append(source)
      lastNumber = numbers[FilePath(source.array)]
    }
    return lastNumber
  }
}
