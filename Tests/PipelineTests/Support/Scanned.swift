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

enum JSONSamples {
  static let accepted = [
    "{}", "[]", " {} ", "\t{ }\r", "{\"a\":1}", "{\"a\":{}}", "{\"a\":[],\"b\":{\"c\":[{}]}}",
    "[[],[],[[]]]", "0", "-0", "12", "-1.5", "1e5", "1E+05", "1.25e-300", "0.0", "true", "false",
    "null", "\"\"", "\"plain\"", "\"0123456789abcdef0123456789abcdef\"", "[1,2.5,\"x\",null]",
    #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20AC\uD83D\uDE00\u0000""#, #"{"\u0061":1,"a":2}"#,
    "{\"a\":1,\"a\":2}", "\"é€😀\u{7F}\"", "{\"a\" : [ 1 , 2 ] , \"b\" : null }\t",
    "123456789012345678901234567890", "1e999999", "\"\u{FEFF}\"",
  ]

  static let rejected: [(String, Int)] = [
    ("", 0), (" ", 1), ("{", 1), ("[", 1), ("{]", 1), ("[}", 1), ("{}}", 2), ("{} {}", 3),
    ("[1,]", 3), ("{\"a\":1,}", 7), ("{,}", 1), ("[,1]", 1), ("{\"a\"}", 4), ("{\"a\":}", 5),
    ("{a:1}", 1), ("{'a':1}", 1), ("{1:1}", 1), ("[1 2]", 3), ("tru", 3), ("trUe", 2),
    ("nulll", 4), ("True", 0), ("NaN", 0), ("Infinity", 0), ("-", 1), ("-a", 1), ("+1", 0),
    ("01", 1), ("-01", 2), ("1.", 2), (".5", 0), ("1.e5", 2), ("1e", 2), ("1e+", 3), ("0x1", 1),
    ("\"", 1), ("\"abc", 4), ("\"a\tb\"", 2), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1),
    (#""\x""#, 1), (#""\"#, 1), (#""\u12"#, 1), (#""\u12g4""#, 1), (#""\U0041""#, 1),
    (#""\ud800""#, 1), (#""\udc00""#, 1), (#""\ud800\ud800""#, 1), (#""\ud800x""#, 1),
    (#""\ud800\n""#, 1), (#""ab\ud83d\u0041""#, 3), ("{}//", 2), ("/**/{}", 0), ("{}\u{A0}", 2),
    ("\u{FEFF}{}", 0), ("{\"a\":1 \"b\":2}", 7), ("[1:2]", 2), ("{\"a\",1}", 4), ("]", 0),
    ("\u{0}", 0), ("{}\u{0}", 2), ("[\"a\nb\"]", 3),
  ]
}
