import TestSupport
import Testing

@testable import Pipeline

/// Names that are expected where they came before: every line of a block is scanned as if it were
/// the only one.
@Suite struct ScannerNamesTests {
  /// What `lines`, scanned one after the other, are, and their names with their numbers.
  private func scan(
    _ lines: [String], into tape: Tape
  ) -> (values: [Scanned], names: [(text: String, number: UInt16)]) {
    // Without a byte after the last line, so that an address sanitizer sees a read past the block.
    let size = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    var text = ByteBuffer(capacity: size)
    var ranges: [Range<Int>] = []
    for line in lines {
      let start = text.count
      text.append(text: line)
      ranges.append(start..<text.count)
      text.append(0x0A)
    }
    tape.bind(to: text.view)
    var values: [Scanned] = []
    var names: [(text: String, number: UInt16)] = []
    for range in ranges {
      let first = tape.count
      switch Scanner.scan(line: range, into: tape) {
      case .value(let root): values.append(.value(Scanned.read(tape, at: root).0))
      case .fault(let fault):
        values.append(.fault(isTooDeep: fault.kind == .tooDeep, offset: fault.offset))
      }
      for index in first..<tape.count where tape[index].kind == .key {
        names.append((tape.bytes(at: index).text, tape[index].isDecoded ? 0 : tape[index].number))
      }
    }
    return (values, names)
  }

  /// Names of all lengths around those that fit in words. Many share a prefix.
  private static func name(_ random: inout RepeatableRandom) -> String {
    let length = Int.random(in: 0...18, using: &random)
    let stem = String("name_of_a_member_".prefix(length))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return stem + #"\""#
    case 1: return stem + #"\u0061"#
    case 2: return stem + "é"
    case 3: return stem + ":"
    default: return stem + String(Int.random(in: 0..<3, using: &random))
    }
  }

  private static func line(_ names: [String], _ random: inout RepeatableRandom) -> String {
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 3 ? 3 : 6), using: &random) {
      case 0: "1"
      case 1: #""x""#
      case 2: "null"
      case 3:
        "["
          + (0..<Int.random(in: 0..<3, using: &random)).map { _ in value(depth + 1) }
          .joined(separator: ",") + "]"
      default: object(depth + 1)
      }
    }
    func object(_ depth: Int) -> String {
      let members = (0..<Int.random(in: 0..<5, using: &random)).map { position -> String in
        // Mostly one behind the other, as in logs.
        let isUsual = Int.random(in: 0..<6, using: &random) > 0
        let name = names[
          isUsual
            ? (depth * 5 + position) % names.count : Int.random(in: 0..<names.count, using: &random)
        ]
        let colon = Int.random(in: 0..<20, using: &random) == 0 ? " : " : ":"
        return "\"\(name)\"\(colon)\(value(depth))"
      }
      return "{" + members.joined(separator: ",") + "}"
    }
    var line = object(0)
    if Int.random(in: 0..<10, using: &random) == 0 {
      line.remove(at: line.index(line.startIndex, offsetBy: line.count / 2))
    }
    return line
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func linesOfOneBlockAreAsByThemselves(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let tape = Tape()
    for round in 0..<40 {
      let pool = (0..<Int.random(in: 1..<14, using: &random)).map { _ in Self.name(&random) }
      let lines = (0..<60).map { _ in Self.line(pool, &random) }
      let (values, names) = scan(lines, into: tape)
      for (line, value) in zip(lines, values) {
        #expect(value == Scanned(naive: Array(line.utf8)), "seed \(seed), round \(round): \(line)")
      }
      for name in names where name.number != 0 {
        #expect(tape.names.text(Int(name.number)).text == name.text, "seed \(seed)")
      }
      if round % 9 == 8 { tape.names.removeAll() }
    }
  }

  /// More names than slots for the expected next name: they share slots.
  @Test func namesThatShareAPlace() {
    let tape = Tape()
    let lines = (0..<3).flatMap { _ in
      (0..<900).map { #"{"a\#($0)":1,"b\#($0 % 7)":{"c\#($0)":2},"d":3}"# }
    }
    let (values, names) = scan(lines, into: tape)
    for (line, value) in zip(lines, values) { #expect(value == Scanned(naive: Array(line.utf8))) }
    let texts = names.map { tape.names.text(Int($0.number)).text == $0.text }
    #expect(names.count == 4 * 2700 && texts.allSatisfy { $0 })
  }

  /// The bytes after the first eight must not hide any bit of those.
  @Test func namesThatDifferInOneBitAreOthers() {
    for name in ["timestamp", "a", "abcdefgh", "abcdefghi", "pppppppppppppppp", "AbcDefGhiJklmno"] {
      let usual = "{\"\(name)\":1}"
      for position in name.utf8.indices {
        for bit in 0..<7 {
          var bytes = Array(name.utf8)
          bytes[name.utf8.distance(from: name.startIndex, to: position)] ^= 1 << bit
          guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else { continue }
          let line = "{\"\(String(decoding: bytes, as: UTF8.self))\":1}"
          let (values, names) = scan([usual, usual, line], into: Tape())
          #expect(values[2] == Scanned(naive: Array(line.utf8)), "\(line)")
          #expect(names[1].number == 1 && names[2].number == 2, "\(line)")
        }
      }
    }
  }

  @Test func whatIsNearlyTheExpectedName() {
    for length in 1...17 {
      let name = String("abcdefghijklmnopq".prefix(length))
      let lines = [
        "{\"\(name)\":1}", "{\"\(name)\":1}", "{\"\(name)x\":1}", "{\"\(name.dropLast())\":1}",
        "{\"\(name)\" :1}", "{\"\(name)\"}", "{\"\(name)\",1}", "{\"\(name)", "{\"\(name)\"",
        "{\"\(name)\":", "{\"\(name)\":}", "{\"\(name)\":1",
      ]
      for line in lines {
        let (values, _) = scan([lines[0], lines[1], line], into: Tape())
        #expect(values[2] == Scanned(naive: Array(line.utf8)), "\(line)")
      }
    }
  }
}
