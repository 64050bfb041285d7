import Pipeline
import Stages

/// The counts of a redrive besides its entries: reasons, losses and unknown fields, with samples at
/// the original positions of the lines.
///
/// Filled unit by unit in entry order, so samples are the first ones. One queue at a time.
struct RedriveTally: ~Copyable {
  /// The outcomes of the entries.
  private(set) var ledger = RedriveLedger()
  private var reasons = CodeCounts()
  private var losses = CodeCounts()
  private var unknownFields = UnknownFields()
  private var implausibleDates = UnknownFields()
  private var implausibleSamples: [RunTally.Sample] = []
  /// Lines with a part that is rejected again, and unchanged entries.
  private var linesWithRejects = 0
  /// The inputs of samples, and the index of each.
  private var sources: [InputOutcome] = []
  private var sourceNumbers: [[UInt8]: Int] = [:]

  /// The count and the first positions of each code.
  private struct CodeCounts {
    var counts = [Int](repeating: 0, count: ReasonCode.allCases.count)
    var samples: [[RunTally.Sample]] = Array(repeating: [], count: ReasonCode.allCases.count)

    /// The codes that occurred, in the order of ``ReasonCode``.
    var met: [TallyFacts.CodeCount] {
      ReasonCode.allCases.compactMap { code in
        let index = Int(code.rawValue)
        guard counts[index] > 0 else { return nil }
        return TallyFacts.CodeCount(code: code, count: counts[index], samples: samples[index])
      }
    }
  }

  init() {}

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
        let code = Int(reason.code.rawValue)
        reasons.counts[code] += 1
        if reasons.samples[code].isEmpty {
          reasons.samples[code] = [
            sample(redriven.lines[line], batch.reasons.path(reason).text, redriven)
          ]
        }
      }
    }
    for index in 0..<batch.losses.count {
      let code = Int(batch.losses[index].code.rawValue)
      losses.counts[code] += 1
      if let name = batch.unknownField(ofLoss: index) { unknownFields.add(name) }
      if losses.samples[code].count < RunTally.samples {
        var path = ByteBuffer(capacity: 64)
        batch.appendPath(ofLoss: index, to: &path) { Int(redriven.eventNumbers[$0]) }
        losses.samples[code].append(
          sample(redriven.lines[batch.line(ofLoss: index)], path.view.text, redriven))
      }
    }
    for index in 0..<batch.remarks.count where batch.counts(remark: index) {
      implausibleDates.add(batch.key(ofRemark: index))
      guard implausibleSamples.count < RunTally.samples else { continue }
      var path = ByteBuffer(capacity: 64)
      batch.appendPath(ofRemark: index, to: &path) { Int(redriven.eventNumbers[$0]) }
      implausibleSamples.append(
        sample(redriven.lines[batch.line(ofRemark: index)], path.view.text, redriven))
    }
  }

  private mutating func sample(
    _ line: RedrivenLines.Line, _ path: String, _ redriven: RedrivenLines
  ) -> RunTally.Sample {
    let source = redriven.source(of: line)
    let key = source.array
    let number = sourceNumbers[key] ?? sources.count
    if number == sources.count {
      sources.append(InputOutcome(file: InputFile(path: source.text, size: nil)))
      sourceNumbers[key] = number
    }
    return RunTally.Sample(input: number, line: line.number, path: path)
  }

  /// Everything counted so far.
  var facts: RedriveFacts {
    RedriveFacts(
      ledger: ledger,
      tally: TallyFacts(
        linesWithRejects: linesWithRejects, reasons: reasons.met, losses: losses.met,
        unknownFields: NameCounts(unknownFields), implausibleDates: NameCounts(implausibleDates),
        implausibleSamples: implausibleSamples),
      sources: sources)
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
