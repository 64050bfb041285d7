import Pipeline
import Stages

/// The first part of the reader by itself: finds the lines of a block.
struct CutStage: Stage {
  static let name = "cut"

  /// The lines of the last block, for the next stage.
  private let lines: LineList

  /// A stage that writes its lines to `lines`.
  init(into lines: LineList) { self.lines = lines }

  mutating func process(_ unit: WorkUnit) {
    lines.found.removeAll(keepingCapacity: true)
    guard unit.block.overlong == nil else { return }
    var cursor = LineCursor(bytes: unit.block.bytes)
    while let line = cursor.next() { lines.found.append(line) }
  }
}

/// The second part of the reader by itself: scans the lines into a tape, after checking those that
/// are not ASCII. Lines that are not JSON are scanned up to their fault.
struct ParseStage: Stage {
  static let name = "parse"

  private let lines: LineList
  private let tape = Tape(capacity: 1 << 15)

  init(_ lines: LineList) { self.lines = lines }

  mutating func process(_ unit: WorkUnit) {
    let bytes = unit.block.bytes
    tape.bind(to: bytes)
    for line in lines.found where UTF8Check.isValid(bytes[line]) {
      _ = Scanner.scan(line: line, into: tape)
    }
  }
}

/// The lines of one block, from the stage that found them to the one that scans them.
final class LineList {
  var found: [Range<Int>] = []
}
