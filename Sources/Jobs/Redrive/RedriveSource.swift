import Pipeline
import Stages

/// Reads rejects and fills units with their lines, ready for the stages.
///
/// ```
/// entries  (a:17 event 0, raw) (a:17 event 2, raw) (a:20 line, raw) (b:3 line, raw truncated) …
///             └───────┬──────────┘                    │                 │
/// unit     raw line a:17, parts 0 and 2          raw line a:20      unchanged
/// ```
/// Consecutive entries about one line, with the same text, make one line of the block; so a record
/// is read once, however many of its parts were rejected. Such a line is never split by the end of
/// a block of entries or of a unit. Memory: a block of entries, and the contents of the unit. Used
/// on the reader's queue only.
final class RedriveSource: UnitSource {
  /// Longest entry, in bytes; a line of the default limit fits, with an escape for every third
  /// byte.
  static let longestEntry = 64 << 20
  /// Most parts of a line that are reprocessed together: more than fit in its text.
  static let mostParts = 1 << 20
  /// Most parts that are reprocessed at once; each is remembered, in about 16 bytes.
  static let most = 50_000_000
  private static let doing = "reading the rejects"

  let logGuard: Locked<LogGuard>? = nil
  private let source: InputSource
  private let keepsGoing: Bool
  /// The reason of the entries that are reprocessed; nil for all. The others are kept unchanged.
  private let reason: ReasonCode?
  /// Only its block is used, for entries.
  private let entries = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
  private let tape = Tape(numbersNames: false)
  private var cursor = LineCursor(bytes: "")
  private var number = 0
  /// The line that was read and is not yet in a unit.
  private var pending: Pending?
  private var raw = ByteBuffer()
  /// The text of the last line of the unit, while further entries may belong to it.
  private var open: Range<Int>?
  /// Hashes of the parts that are reprocessed: two of n are equal by chance with n² / 2^65.
  private var parts: Set<UInt64> = []
  /// Of the last text that is whole: entries behind it may be without one.
  private var textHash: UInt64 = 0
  /// The files with a line that is an entry, and those with one that is not.
  private var withEntries: Set<Int> = []
  private var others: Set<Int> = []
  /// Blank lines so far, which are not entries.
  private(set) var blank = 0

  /// A line of the rejects that was read.
  private struct Pending {
    let range: Range<Int>
    /// Nil for a line that is not an entry, or of another reason, and is kept unchanged.
    let entry: RejectEntry?
    /// Whether it is an entry of another reason: those of the same line go on behind it.
    var isOfOtherReason = false
  }

  /// A source of the entries in `files` with the reason `reason`, if there is one. With
  /// `keepsGoing` a line that is not an entry is kept unchanged, and a damaged file loses only what
  /// cannot be read.
  init(
    _ files: [InputFile], only reason: ReasonCode?, keepsGoing: Bool, position: ReadPosition,
    cores: CoreQueues, system: System
  ) {
    source = InputSource(
      files, maxLine: Self.longestEntry, keepsGoing: keepsGoing, position: position, cores: cores,
      system: system)
    (self.reason, self.keepsGoing) = (reason, keepsGoing)
  }

  var inputs: [InputFile] { source.inputs }
  var nanosecondsAhead: UInt64 { source.nanosecondsAhead }
  /// What was read of each file; final when the flow has ended. A file with lines but without
  /// an entry is damaged.
  var outcomes: [InputOutcome] {
    source.outcomes.enumerated().map { input, read in
      guard read.lost == nil, others.contains(input), !withEntries.contains(input)
      else { return read }
      var outcome = read
      outcome.lost = Failure(
        .corrupt, doing: Self.doing, path: read.file.name,
        why: "none of its lines is a reject entry",
        advice: "name rejects that eventmill has written")
      return outcome
    }
  }

  /// Fills the unit with the next lines, and with the unchanged entries between them.
  func fill(_ unit: WorkUnit) throws(Failure) -> Bool {
    let (block, lines) = (unit.block, unit.notes.redriven)
    lines.recycle()
    block.content.removeAll()
    unit.repairedLines.removeAll(keepingCapacity: true)
    (block.firstLine, block.offset, block.overlong) = (1, 0, nil)
    open = nil
    var hasAny = false
    while let next = try next() {
      if let entry = next.entry, isAboutOpenLine(entry, unit) {
        try addPart(entry, to: lines)
      } else if let entry = next.entry, parts.contains(part(entry)) {
        lines.ledger.repeated += 1
      } else if hasAny, block.content.count + lines.byteCount >= BlockReader.defaultBlockSize {
        // Stays pending, for the next unit.
        break
      } else {
        try take(next, to: unit)
      }
      block.input = entries.block.input
      hasAny = true
      pending = nil
    }
    block.seal()
    return hasAny
  }

  private func take(_ next: Pending, to unit: WorkUnit) throws(Failure) {
    let lines = unit.notes.redriven
    guard let entry = next.entry, !entry.isTruncated else {
      if !next.isOfOtherReason { open = nil }
      lines.add(kept: entries.block.bytes[next.range])
      return
    }
    let start = unit.block.content.count
    unit.block.content.append(raw.view)
    unit.block.content.append(UInt8(ascii: "\n"))
    if entry.isRepaired { unit.repairedLines.insert(lines.lines.count) }
    lines.lines.append(
      RedrivenLines.Line(
        source: lines.keep(tape.bytes(at: entry.source)), number: entry.line,
        offset: entry.offset, isAboutLine: entry.scope == .line,
        parts: lines.parts.count..<lines.parts.count))
    open = start..<start + raw.count
    try addPart(entry, to: lines)
  }

  /// Whether the entry belongs to the last line of the unit. An entry without text, because earlier
  /// entries have it, does.
  private func isAboutOpenLine(_ entry: RejectEntry, _ unit: WorkUnit) -> Bool {
    let lines = unit.notes.redriven
    guard let open, let line = lines.lines.last, line.parts.count < Self.mostParts,
      entry.line == line.number, entry.offset == line.offset,
      (entry.scope == .line) == line.isAboutLine,
      tape.bytes(at: entry.source) == lines.source(of: line)
    else { return false }
    return entry.isTruncated ? raw.isEmpty : raw.view == unit.block.content[open]
  }

  /// A hash of what an entry is about: log, line and part; and of the text, because another line of
  /// the log may have had the number and the offset before a rotation.
  private func part(_ entry: RejectEntry) -> UInt64 {
    var hash = textHash
    for number in [entry.line, entry.offset, entry.index, Int(entry.scope.rawValue)] {
      hash = (hash ^ UInt64(number)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
    }
    return XXH64.hash(tape.bytes(at: entry.source), seed: hash)
  }

  private func addPart(_ entry: RejectEntry, to lines: RedrivenLines) throws(Failure) {
    guard parts.insert(part(entry)).inserted else {
      lines.ledger.repeated += 1
      return
    }
    guard parts.count <= Self.most else {
      throw Failure(
        .limit, doing: Self.doing, path: inputs[entries.block.input].name, line: number,
        why: "there are more than \(NumberFormat.grouped(Self.most)) entries",
        advice: "split the rejects into files, and reprocess one after another")
    }
    guard entry.scope != .line else { return }
    let line = lines.lines.count - 1
    lines.parts.append(RedrivenLines.Part(scope: entry.scope, index: entry.index))
    lines.lines[line].parts = lines.lines[line].parts.lowerBound..<lines.parts.count
  }

  /// The next line of the rejects that is not yet in a unit, or nil at the end.
  private func next() throws(Failure) -> Pending? {
    while pending == nil {
      if let range = cursor.next() {
        number += 1
        pending = try read(range)
        continue
      }
      guard try source.fill(entries) else { return nil }
      let block = entries.block
      number = block.firstLine - 1
      tape.bind(to: block.bytes)
      cursor = LineCursor(bytes: block.bytes)
      if block.overlong != nil {
        number += 1
        throw damaged("it is longer than \(Self.longestEntry) bytes")
      }
    }
    return pending
  }

  /// Reads a line of the rejects, and its text into ``raw``; nil when it is blank.
  private func read(_ range: Range<Int>) throws(Failure) -> Pending? {
    var range = range
    let bytes = entries.block.bytes
    if !range.isEmpty, bytes[range.upperBound - 1] == UInt8(ascii: "\r") {
      range = range.lowerBound..<range.upperBound - 1
    }
    if Characters.trimmedRange(bytes[range]).isEmpty {
      blank += 1
      return nil
    }
    do throws(RejectEntry.Damage) {
      let entry = try entry(range)
      withEntries.insert(entries.block.input)
      let isSelected = reason.map { entry.has($0, in: tape) } ?? true
      return Pending(range: range, entry: isSelected ? entry : nil, isOfOtherReason: !isSelected)
    } catch {
      guard keepsGoing else { throw damaged(error.why) }
      others.insert(entries.block.input)
      return Pending(range: range, entry: nil)
    }
  }

  private func entry(_ range: Range<Int>) throws(RejectEntry.Damage) -> RejectEntry {
    guard UTF8Check.isValid(entries.block.bytes[range]) else { throw .init("it is not UTF-8") }
    guard case .value(let root) = Scanner.scan(line: range, into: tape) else {
      throw .init("it is not JSON")
    }
    let entry = try RejectEntry(root, of: tape)
    raw.removeAll()
    raw.shrink(to: RetainedCapacity.bytes)
    let text = tape.bytes(at: entry.raw)
    if !entry.isBase64 {
      raw.append(text)
    } else if !raw.append(decodingBase64: text) {
      throw .init("its raw_base64 is not Base64")
    }
    // An edited text may contain line ends. In JSON both are white space.
    var lines = LineCursor(bytes: raw.view)
    while let line = lines.next(), line.upperBound < raw.count {
      raw[line.upperBound] = UInt8(ascii: "\r")
    }
    if !entry.isTruncated { textHash = XXH64.hash(raw.view) }
    return entry
  }

  private func damaged(_ why: String) -> Failure {
    Failure(
      .corrupt, doing: Self.doing, path: inputs[entries.block.input].name, line: number,
      why: "the line is not a reject entry: \(why)",
      advice: [
        "name rejects that eventmill has written", "use --keep-going to keep such lines unchanged",
      ])
  }
}
