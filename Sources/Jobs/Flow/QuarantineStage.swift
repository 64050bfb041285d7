import Pipeline
package import Stages

/// Writes a reject entry for every rejected part of a block, with all its reasons and the raw line
/// (data-model 15). Runs in the lanes, after the router; the entries are in the order of lines,
/// then scope (line, event, operation), then index.
package struct QuarantineStage: Stage {
  package static let name = "quarantine"
  /// Entries of one line that repeat its raw text; otherwise the rejects of a line would grow with
  /// the square of its length.
  package static let entriesWithRaw = ReasonList.mostPerPart
  /// Longest raw text of an entry, in bytes.
  package static let longestRaw = 64 << 10

  private let sources: [[UInt8]]
  /// Nil when no person is erased.
  private let search: PersonSearch?

  /// `sources` are the paths of the inputs. The text of a line that names an erased person is
  /// withheld, whatever its time: the time of a rejected line proves little.
  package init(sources: [String], erasures: Erasures = Erasures(), keys: IdentityKeys = .default) {
    search = erasures.isEmpty ? nil : PersonSearch(erasures, keys: keys)
    self.sources = sources.map { Array($0.jsonText.utf8) }
  }

  /// Complexity: O(lines + bytes of rejects, raw lines counted once).
  package mutating func process(_ unit: WorkUnit) {
    unit.rejects.recycle()
    write(unit.batch, of: unit.block, to: &unit.rejects)
  }

  private func write(_ batch: RecordBatch, of block: Block, to rejects: inout RejectEntries) {
    for index in batch.lines.indices {
      let line = batch.lines[index]
      guard line.outcome != .blank, batch.hasRejects(line) else { continue }
      let source = block.bytes[Int(line.start)..<Int(line.start) + Int(line.length)]
      let isErased = search.map { isNamed(source, of: block, by: $0) } ?? false
      if isErased { rejects.withhold(line: index) }
      let raw = rejects.addRaw { text in
        if isErased { return Self.writeNoRaw(to: &text) }
        Self.writeRaw(
          source, isCut: block.overlong != nil, atMost: QuarantineStage.longestRaw, to: &text)
      }
      let noRaw = rejects.addRaw { text in Self.writeNoRaw(to: &text) }
      let rejected = RejectedLine(
        block: block, line: line, isErased: isErased, raw: raw, noRaw: noRaw,
        firstEntry: rejects.count)
      if line.outcome == .rejected {
        write(.line, 0, line.reasons, of: batch.reasons, at: rejected, to: &rejects)
      } else {
        writeParts(of: line, in: batch, at: rejected, to: &rejects)
      }
    }
  }

  private struct RejectedLine {
    let block: Block
    let line: LineEntry
    /// Whether it names an erased person: then only codes are written.
    let isErased: Bool
    let raw: Range<Int>
    /// The range in entries that do not repeat the raw text.
    let noRaw: Range<Int>
    /// Number of the line's first entry.
    let firstEntry: Int
  }

  /// Whether the line, as far as it was kept, names an erased person.
  private func isNamed(_ line: ByteView, of block: Block, by search: PersonSearch) -> Bool {
    let isCut = block.overlong != nil
    if search.clearsUnreadable, isCut || line.count > Self.longestRaw { return true }
    return search.isNamed(in: line, isCut: isCut)
  }

  private func writeParts(
    of line: LineEntry, in batch: RecordBatch, at rejected: RejectedLine,
    to rejects: inout RejectEntries
  ) {
    let (events, operations) = (batch.events(of: line), batch.operations(of: line))
    for event in events where batch.events[event].isRejected {
      write(
        .event, event - events.lowerBound, batch.events[event].reasons, of: batch.reasons,
        at: rejected, to: &rejects)
    }
    for operation in operations where batch.operations[operation].isRefused {
      write(
        .operation, operation - operations.lowerBound, batch.operations[operation].reasons,
        of: batch.reasons, at: rejected, to: &rejects)
    }
  }

  private func write(
    _ scope: RejectScope, _ index: Int, _ reasons: ReasonRange, of list: borrowing ReasonList,
    at rejected: RejectedLine, to rejects: inout RejectEntries
  ) {
    let (block, line) = (rejected.block, rejected.line)
    let hasRaw = rejects.count - rejected.firstEntry < QuarantineStage.entriesWithRaw
    let raw = hasRaw ? rejected.raw : rejected.noRaw
    rejects.add(raw: raw) { text in
      text.append("{\"source\":")
      text.append(contentsOf: sources[block.input])
      text.append(",\"line\":")
      text.append(decimal: block.number(of: line))
      text.append(",\"offset\":")
      text.append(decimal: block.offset(of: line))
      Self.write(scope, index, of: line, reasons, of: list, codesOnly: rejected.isErased, to: &text)
    }
  }

  /// Writes the part of an entry between the position of a line and its raw text.
  static func write(
    _ scope: RejectScope, _ index: Int, of line: LineEntry, _ reasons: ReasonRange,
    of list: borrowing ReasonList, codesOnly: Bool = false, to text: inout ByteBuffer
  ) {
    if let dialect = line.dialect {
      text.append(",\"dialect\":\"")
      text.append(text: dialect.name)
      text.append(UInt8(ascii: "\""))
    }
    text.append(",\"scope\":\"")
    text.append(scope.name)
    text.append("\",\"index\":")
    text.append(decimal: index)
    if !line.repairs.isEmpty { text.append(",\"repaired\":true") }
    text.append(",\"reasons\":")
    if codesOnly {
      ReasonList.append(codesAlone: reasons.indices.map { list[$0].code.text }, to: &text)
    } else {
      list.append(reasons, to: &text)
    }
  }

  static func writeNoRaw(to text: inout ByteBuffer) {
    text.append(",\"raw\":\"\",\"raw_truncated\":true")
  }

  /// Writes the text of a line, at most the first bytes; one that `isCut` goes on after it.
  static func writeRaw(
    _ line: ByteView, isCut: Bool = false, atMost most: Int = .max, to text: inout ByteBuffer
  ) {
    let whole = Characters.wholeCharacters(line, atMost: most)
    // An overlong line may be cut within a character, which is not a fault of the line.
    if UTF8Check.isValid(isCut ? line[0..<whole] : line) {
      text.append(",\"raw\":")
      text.appendJSONString(line[0..<whole])
    } else {
      text.append(",\"raw_base64\":\"")
      text.append(base64: line[0..<min(line.count, most)])
      text.append(UInt8(ascii: "\""))
    }
    if isCut || line.count > most { text.append(",\"raw_truncated\":true") }
  }
}

extension RecordBatch {
  fileprivate func hasRejects(_ line: LineEntry) -> Bool {
    guard line.outcome == .record else { return line.outcome == .rejected }
    return events(of: line).contains { events[$0].isRejected }
      || operations(of: line).contains { operations[$0].isRefused }
  }
}
