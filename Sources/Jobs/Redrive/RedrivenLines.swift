import Pipeline
import Stages

/// Where the lines of a block come from that is driven again, which of their parts count, and what
/// became of the entries that asked for it.
///
/// Travels with the block: the source fills it, the stages of the lane go on from there. Empty for
/// blocks of logs.
final class RedrivenLines {
  /// One line of the block, as one entry or several of the rejects name it.
  struct Line {
    /// The path of the input it was read from, in ``RedrivenLines/text``.
    let source: Range<Int>
    /// Its number there, 1-based.
    let number: Int
    /// Its offset there, in bytes of the decompressed file.
    let offset: Int
    /// Whether it was rejected as a whole, so that all of it counts.
    let isAboutLine: Bool
    /// The parts that count, if not all do.
    var parts: Range<Int>
  }

  /// A part of a line that had been rejected.
  struct Part {
    let scope: RejectScope
    /// Its position among the events, or the operations, of its record.
    let index: Int
    /// Its index in the batch; nil when the line has no such part.
    var entry: Int?
  }

  /// An entry that cannot be driven again and stays as it is.
  struct Kept {
    /// The line of the block it stands before.
    let line: Int
    /// Its bytes in ``RedrivenLines/text``, without the line end.
    let bytes: Range<Int>
  }

  /// The lines of the block, in order.
  var lines: [Line] = []
  /// The parts of all lines that count, by line.
  var parts: [Part] = []
  /// The entries that stay as they are, in order.
  private(set) var kept: [Kept] = []
  /// For each event of the batch its position in its record, before others were left out.
  var eventNumbers: [Int32] = []
  /// The same for each operation.
  var operationNumbers: [Int32] = []
  /// The reasons of everything that is rejected again, and the line of each.
  var rejected: [(reasons: ReasonRange, line: Int)] = []
  /// What became of the entries.
  var ledger = RedriveLedger()
  private var text = ByteBuffer(capacity: 16)

  /// Forgets everything and keeps the room.
  func removeAll() {
    lines.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    kept.removeAll(keepingCapacity: true)
    eventNumbers.removeAll(keepingCapacity: true)
    operationNumbers.removeAll(keepingCapacity: true)
    rejected.removeAll(keepingCapacity: true)
    ledger = RedriveLedger()
    text.removeAll()
  }

  /// Forgets everything, and the room that an unusual block needed.
  func recycle() {
    if lines.isEmpty, kept.isEmpty { return }
    removeAll()
    lines.recycle()
    parts.recycle()
    kept.recycle()
    eventNumbers.recycle()
    operationNumbers.recycle()
    rejected.recycle()
    text.shrink(to: RetainedCapacity.bytes)
  }

  /// Bytes that were copied out of the entries.
  var byteCount: Int { text.count }

  /// Appends bytes of an entry and returns where they are kept.
  func keep(_ bytes: ByteView) -> Range<Int> {
    let start = text.count
    text.append(bytes)
    return start..<text.count
  }

  /// Appends the entry `bytes`, which stays as it is.
  func add(kept bytes: ByteView) {
    kept.append(Kept(line: lines.count, bytes: keep(bytes)))
  }

  /// Bytes that were kept; valid until the next ones are.
  func bytes(_ range: Range<Int>) -> ByteView { text[range] }

  /// The path of the input that `line` was read from; valid as ``bytes(_:)``.
  func source(of line: Line) -> ByteView { text[line.source] }
}
