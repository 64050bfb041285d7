import Pipeline
import Stages

/// Checks the lines of a loss report (`losses.ndjson`): codes in order, each with its count and the
/// first examples.
struct LossCheck {
  /// Longest line that is read, in bytes: ten examples with paths of the greatest length, escaped.
  private static let longestLine = 1 << 20

  /// Lines of the inputs by path; nil if the inputs are unknown.
  private let lines: [[UInt8]: Int]?
  /// The count of each code, as far as the report was read.
  private(set) var counts: [String: Int] = [:]

  /// A check of losses in `inputs`, if these are known.
  init(inputs: [ManifestInput]?) {
    lines = inputs.map { inputs in
      Dictionary(inputs.map { (Array($0.path.utf8), $0.lines) }) { first, _ in first }
    }
  }

  /// Reads and checks the report in the directory `output`.
  ///
  /// - Throws: `io` when it cannot be read.
  mutating func read(
    in output: String, problems: inout ProblemList
  ) throws(Failure) -> PlainFile {
    let tape = Tape(numbersNames: false)
    var last = ""
    return try PlainFile(output, ArchiveFiles.losses, longestLine: LossCheck.longestLine) {
      line, number in
      func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
        problems.add(
          VerifyProblem(
            file: ArchiveFiles.losses, line: number, finding: Finding(code, figures)))
      }
      tape.bind(to: line)
      guard UTF8Check.isValid(line),
        case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
        let code = tape.string(at: tape.member("code", of: root))?.text,
        ReasonCode(code) != nil,
        let count = tape.count(at: tape.member("count", of: root)), count > 0
      else { return add(.badLoss) }
      if !last.utf8.lexicographicallyPrecedes(code.utf8) { add(.nameOutOfOrder, code) }
      last = code
      counts[code] = count
      checkSamples(tape.member("samples", of: root), count, tape, add)
    }
  }

  private func checkSamples(
    _ samples: Int?, _ count: Int, _ tape: Tape,
    _ add: (ProblemCode, any CustomStringConvertible...) -> Void
  ) {
    let items = samples.map { tape.items(of: $0) } ?? []
    if items.count != min(count, RunTally.samples) {
      add(.otherSamples, items.count, count)
    }
    for item in items {
      guard let source = tape.string(at: tape.member("source", of: item)),
        let line = tape.count(at: tape.member("line", of: item)), line > 0,
        tape.string(at: tape.member("path", of: item)) != nil
      else {
        add(.incompleteSample)
        continue
      }
      guard let lines else { continue }
      if let all = lines[source.array], line <= all { continue }
      add(.sampleOfNoLine, line, source.shown)
    }
  }
}
