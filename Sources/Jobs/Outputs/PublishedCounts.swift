import Pipeline
import Stages

/// The counts of an output, and the files with them: a run writes these, and `verify` writes them
/// again.
struct PublishedCounts {
  let totals: EventTotals
  var tally: SnapshotTally
  let names: SnapshotNames
  let partitions: Int
  /// The day from which on everything is counted by day, 0 if it always was; nil without days.
  let daysFrom: Int?
  let erasures: Erasures

  var files: [RunFiles.Counts] {
    RunFiles.Counts.allCases.filter { $0 != .days || daysFrom != nil }
  }
  var lines: EventCountLines { EventCountLines(totals, names: names.events, profiles: tally) }

  /// Receives a text of whole lines, and their number.
  typealias Target = (_ text: ByteView, _ lines: Int) throws(Failure) -> Void

  /// Writes the text of a file. The lines of a compressed one are not counted.
  func write(_ file: RunFiles.Counts, to target: Target) throws(Failure) {
    var text = ByteBuffer()
    switch file {
    case .totals:
      try StateTotals.write(
        totals, tally, names, partitions: partitions, daysFrom: daysFrom, erasures: erasures
      ) { piece throws(Failure) in try target(piece, 0) }
    case .json:
      lines.appendJSON(to: &text)
      try target(text.view, lines.order.count)
    case .csv:
      lines.appendCSV(to: &text)
      try target(text.view, lines.order.count + 1)
    case .days:
      var days = DailyCountLines(totals, names.events, tally.active, from: daysFrom ?? 0)
      try days.write(to: target)
    }
  }

  /// Writes a file into `folder`, as `path` if it is given.
  func write(
    _ file: RunFiles.Counts, as path: String? = nil, to folder: StagedFolder, level: Int
  ) throws(Failure) {
    let output = try folder.create(path ?? file.rawValue)
    if file == .totals {
      let writer = try SeekableTextWriter(output, level: level)
      try write(file) { text, _ throws(Failure) in try writer.append(text) }
      try writer.finish()
    } else {
      try write(file) { text, lines throws(Failure) in try output.append(text, lines: lines) }
      _ = try output.finish()
    }
  }
}
