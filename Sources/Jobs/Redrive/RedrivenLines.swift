import Pipeline
import Stages

/// The origins of the lines of a reprocessed block, the parts that count, and the outcomes of their
/// entries.
///
/// Travels with the block: the source fills it, the stages of the lane continue. Empty for blocks
/// of logs.
final class RedrivenLines {
  /// One line of the block, as named by one or more entries of the rejects.
  struct Line {
    /// The path of its input, in ``RedrivenLines/text``.
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
    /// Its index among the events, or the operations, of its record.
    let index: Int
    /// Its index in the batch; nil when the line has no such part.
    var entry: Int?
  }

  /// An entry that cannot be reprocessed and is kept unchanged.
  struct Kept {
    let line: Int
    /// The range of its bytes in ``RedrivenLines/text``, without the line end.
    let bytes: Range<Int>
  }

  var lines: [Line] = []
  /// The parts of all lines that count, by line.
  var parts: [Part] = []
  /// The unchanged entries, in order.
  private(set) var kept: [Kept] = []
  /// For each event of the batch its index in its record, before others were removed.
  var eventNumbers: [Int32] = []
  var operationNumbers: [Int32] = []
  /// The reasons of everything that is rejected again, and the line of each.
  var rejected: [(reasons: ReasonRange, line: Int)] = []
  var ledger = RedriveLedger()
  private var text = ByteBuffer(capacity: 16)

  /// Removes everything, and releases excess capacity.
  func recycle() {
    if lines.isEmpty, kept.isEmpty { return }
    lines.recycle()
    parts.recycle()
    kept.recycle()
    eventNumbers.recycle()
    operationNumbers.recycle()
    rejected.recycle()
    ledger = RedriveLedger()
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
  }

  /// Bytes copied from the entries.
  var byteCount: Int { text.count }

  /// Appends bytes of an entry and returns their range.
  func keep(_ bytes: ByteView) -> Range<Int> {
    let start = text.count
    text.append(bytes)
    return start..<text.count
  }

  func add(kept bytes: ByteView) { kept.append(Kept(line: lines.count, bytes: keep(bytes))) }

  /// The bytes of a range; valid until more are appended.
  func bytes(_ range: Range<Int>) -> ByteView { text[range] }

  /// The path of the input of `line`; valid as ``bytes(_:)``.
  func source(of line: Line) -> ByteView { text[line.source] }
}
