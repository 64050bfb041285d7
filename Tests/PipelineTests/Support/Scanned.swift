import TestSupport
import Testing

@testable import Pipeline

/// What a scan of one line came to, with the tape read back into a value.
enum Scanned: Equatable {
  case value(NaiveJSON)
  case fault(isTooDeep: Bool, offset: Int)

  /// Scans `line` as a line of a block that has `before` and `after` around it.
  init(_ line: [UInt8], before: String = "", after: String = "\n") {
    // No byte to spare, so that an address sanitizer sees a read past the block.
    var block = ByteBuffer(capacity: before.utf8.count + line.count + after.utf8.count)
    block.append(text: before)
    let start = block.count
    for byte in line { block.append(byte) }
    let end = block.count
    block.append(text: after)
    let tape = Tape()
    tape.bind(to: block.view)
    switch Scanner.scan(line: start..<end, into: tape) {
    case .value(let root):
      let (value, next) = Scanned.read(tape, at: root)
      #expect(next == tape.count, "the root's entries are not the tape's last")
      self = .value(value)
    case .fault(let fault):
      #expect(tape.count == 0 && tape.decoded.isEmpty, "a fault leaves the tape as it was")
      self = .fault(isTooDeep: fault.kind == .tooDeep, offset: fault.offset)
    }
  }

  /// Scans `text` where it is the content of a string.
  init(inString text: [UInt8]) throws {
    var line = ByteBuffer()
    withByteView(of: text) { line.appendJSONString($0) }
    line.append(0x0A)
    let tape = Tape()
    tape.bind(to: line.view)
    let root = try #require(Scanner.scan(line: 0..<line.count - 1, into: tape).root)
    let count = tape.count
    switch Scanner.scan(textAt: root, into: tape) {
    case .value(let inner):
      let (value, next) = Scanned.read(tape, at: inner)
      #expect(inner == count && next == tape.count)
      self = .value(value)
    case .fault(let fault):
      #expect(tape.count == count, "a fault leaves the entries as they were")
      self = .fault(isTooDeep: fault.kind == .tooDeep, offset: fault.offset)
    }
  }

  init(naive line: [UInt8]) {
    do {
      self = .value(try NaiveJSON(parsing: line, maxDepth: Scanner.maxDepth))
    } catch {
      self = .fault(isTooDeep: error.isTooDeep, offset: error.offset)
    }
  }

  /// The value at `index`, checked on the way, and the index after it.
  static func read(_ tape: Tape, at index: Int) -> (NaiveJSON, Int) {
    let entry = tape[index]
    let next = Int(entry.next)
    let text = tape.bytes(entry).text
    switch entry.kind {
    case .object:
      var members: [NaiveJSON.Member] = []
      var child = index + 1
      while child < next {
        let key = tape[child]
        #expect(key.kind == .key)
        let (value, end) = read(tape, at: child + 1)
        #expect(Int(key.next) == end, "a key's next is the index after its value")
        members.append(.init(name: tape.bytes(key).text, value: value))
        child = end
      }
      #expect(child == next && text.first == "{" && text.last == "}")
      return (.object(members), next)
    case .array:
      var items: [NaiveJSON] = []
      var child = index + 1
      while child < next {
        let (value, end) = read(tape, at: child)
        items.append(value)
        child = end
      }
      #expect(child == next && text.first == "[" && text.last == "]")
      return (.array(items), next)
    case .string: return (.string(text), next)
    case .integer:
      #expect(!text.contains { ".eE".contains($0) })
      return (.number(text), next)
    case .double:
      #expect(text.contains { ".eE".contains($0) })
      return (.number(text), next)
    case .true: return (.bool(true), next)
    case .false: return (.bool(false), next)
    case .null: return (.null, next)
    case .key, .date:
      Issue.record("a \(entry.kind) is no value")
      return (.null, next)
    }
  }
}

extension ScanResult {
  var root: Int? { if case .value(let root) = self { root } else { nil } }
}

/// Lines, each with the offset of its fault if it is not JSON.
enum JSONSamples {
  static let accepted = all.filter { $0.1 == nil }.map(\.0)
  static let rejected = all.compactMap { text, offset in offset.map { (text, $0) } }

  private static let all = Vectors.rows("json").map { ($0[0]?.text ?? "?", $0[1]?.integer) }
}
