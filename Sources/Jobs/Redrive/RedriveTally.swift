import Pipeline
import Stages

/// The counts of a redrive besides its entries: reasons, losses and unknown fields, with samples at
/// the original positions of the lines.
///
/// Filled unit by unit in entry order, so samples are the first ones. One queue at a time.
struct RedriveTally: ~Copyable {
  /// The outcomes of the entries.
  private(set) var ledger = RedriveLedger()
  private var codes = CodeTally()
  /// Lines with a part that is rejected again, and unchanged entries.
  private var linesWithRejects = 0
  private let sources = SampleSources()

  /// Adds a unit that all stages are done with.
  mutating func add(_ unit: WorkUnit) {
    let (batch, redriven) = (unit.batch, unit.notes.redriven)
    ledger.add(redriven.ledger)
    linesWithRejects += redriven.kept.count
    var last = -1
    for (range, line) in redriven.rejected {
      if line != last { linesWithRejects += 1 }
      last = line
      for index in range.indices {
        let reason = batch.reasons[index]
        codes.add(reason.code) {
          sources.sample(redriven.lines[line], batch.reasons.path(reason).text, redriven)
        }
      }
    }
    codes.add(lossesOf: batch, all: true, number: { Int(redriven.eventNumbers[$0]) }) {
      line, path in
      sources.sample(redriven.lines[line], path, redriven)
    }
  }

  /// Everything counted so far.
  var facts: RedriveFacts {
    var tally = codes.facts
    tally.linesWithRejects = linesWithRejects
    return RedriveFacts(ledger: ledger, tally: tally, sources: sources.inputs)
  }
}

/// The inputs that samples are of.
private final class SampleSources {
  private(set) var inputs: [InputOutcome] = []
  private var numbers: [[UInt8]: Int] = [:]

  func sample(
    _ line: RedrivenLines.Line, _ path: String, _ redriven: RedrivenLines
  ) -> RunTally.Sample {
    let source = redriven.source(of: line)
    let number = numbers[source.array] ?? inputs.count
    if number == inputs.count {
      inputs.append(InputOutcome(file: InputFile(path: source.text, size: nil)))
      numbers[source.array] = number
    }
    return RunTally.Sample(input: number, line: line.number, path: path)
  }
}

/// The counts of a whole redrive.
package struct RedriveFacts: Sendable {
  /// The outcomes of the entries.
  package internal(set) var ledger: RedriveLedger
  /// Reasons of repeated rejects, losses, unknown fields; without a ledger, because the lines
  /// belong to other jobs.
  package let tally: TallyFacts
  /// The inputs of samples, with their paths only.
  package let sources: [InputOutcome]
}
