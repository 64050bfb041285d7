import Pipeline
import Stages

/// The counts of an output by the totals of its state, as the next run reads them. All files of
/// counts are written again from them, and compared byte for byte.
extension PublishedCounts {
  /// Reads the totals of the state in the directory `output`.
  init(reading output: String, partitions: Int, withDays: Bool) throws(Failure) {
    let names = RunNames(limit: Output.mostNames)
    let state = try StateTotals(
      reading: "\(output)/\(RunFiles.totals)", doing: FrameWalk.doing, names: names, system: .real)
    if let failure = names.failure { throw failure }
    var (totals, tally) = (EventTotals(), SnapshotTally())
    totals.merge(state)
    for total in state.totals { tally.add(total.profiles, total.name) }
    tally.active = state.active
    self.init(
      totals: totals, tally: tally, names: SnapshotNames(names), partitions: partitions,
      daysFrom: withDays ? state.daysFrom ?? 0 : nil, erasures: state.erasures)
  }

  /// Compares the files. With days, `active` are the people of the profiles, if all could be read.
  func compare(_ verified: inout VerifiedFiles, active: ActivePeople?) throws(Failure) {
    for file in files {
      var counts = self
      if file == .totals, daysFrom != nil, let active { counts.tally.active = active }
      try verified.compare(file.rawValue) { each throws(Failure) in
        try counts.write(file) { text, _ throws(Failure) in try each(text) }
      }
    }
  }

  /// Compares the totals with the attributes that the states of keys have.
  func compare(_ attributes: Set<String>, _ problems: inout ProblemList) {
    for name in attributes.subtracting(names.attributes.names).sorted() {
      problems.add(RunFiles.totals, .otherAttribute, name)
    }
  }

  /// Compares the totals with the profiles, by event name.
  func compare(_ profiles: [String: ProfileCheck.Tally], _ problems: inout ProblemList) {
    let known = Dictionary(
      uniqueKeysWithValues: lines.order.map { name in
        (names.events[name].text, (totals[name].count, tally.profiles(with: name)))
      })
    for name in Set(profiles.keys).union(known.keys).sorted() {
      let (count, stated) = known[name] ?? (0, 0)
      let found = profiles[name] ?? ProfileCheck.Tally()
      if stated != found.profiles {
        problems.add(RunFiles.totals, .otherProfilesOfEvent, name, stated, found.profiles)
      }
      // Anonymous events are in no profile.
      if count < found.events {
        problems.add(RunFiles.totals, .fewerThanInProfiles, name, count, found.events)
      }
    }
  }
}

/// Compares a file of an output with text that is written again. For one thread at a time.
final class TextComparison {
  /// Longest line that is read: one with a count for each day that there is.
  private static let longestLine = 4 << 20

  private let reader: BlockReader
  private let promised: Compression
  private let block = Block(capacity: BlockReader.defaultBlockSize)
  /// Bytes of the block that were compared, and those that were written.
  private var (position, written) = (0, 0)
  /// The line that differs first; 1 after the equal ones until one does.
  private(set) var line = 1
  private(set) var differs = false

  /// A comparison with `file`; `position` counts its bytes.
  init(_ file: InputFile, position: ReadPosition) throws(Failure) {
    promised = Compression.promised(by: file.path) ?? .none
    reader = try BlockReader(file, index: 0, maxLine: Self.longestLine, position: position)
  }

  /// Receives the next text that should be there.
  func take(_ text: ByteView) throws(Failure) {
    written += text.count
    var rest = text
    while !differs, !rest.isEmpty {
      if position == block.content.count, try !fill() {
        differs = true
        return
      }
      let found = block.bytes.dropFirst(position)
      let length = min(rest.count, found.count)
      let equal = (0..<length).first { rest[$0] != found[$0] } ?? length
      line += NewlineScan(rest[0..<equal]).count
      differs = equal < length
      position += equal
      rest = rest.dropFirst(equal)
    }
  }

  /// Reads the rest of the file, and returns what was read of all of it.
  func end() throws(Failure) -> InputSummary {
    differs = differs || position < block.content.count
    while try fill() { differs = true }
    // A byte order mark, or a last line without its end, is in no block. Readers of plain text
    // would not decompress it.
    differs =
      differs || reader.summary.decompressedBytes != written
      || reader.summary.compression != promised
    return reader.summary
  }

  private func fill() throws(Failure) -> Bool {
    position = 0
    return try reader.fill(block)
  }
}
