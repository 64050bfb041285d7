import Pipeline

/// A plain recursive JSON reader that fills a tape, for lines that are known to be valid.
struct TapeScanner {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Appends the entries of the value that `bytes` is; the tape is bound to the same bytes.
  static func scan(_ bytes: [UInt8], into tape: inout Tape) {
    var scanner = TapeScanner(bytes)
    scanner.value(into: &tape)
    scanner.space()
    precondition(scanner.position == bytes.count, "the line is no JSON")
  }

  private mutating func space() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
  }

  private mutating func value(into tape: inout Tape) {
    space()
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "{"): container(.object, end: UInt8(ascii: "}"), into: &tape)
    case UInt8(ascii: "["): container(.array, end: UInt8(ascii: "]"), into: &tape)
    case UInt8(ascii: "\""): string(.string, into: &tape)
    case UInt8(ascii: "t"): literal(.true, 4, into: &tape)
    case UInt8(ascii: "f"): literal(.false, 5, into: &tape)
    case UInt8(ascii: "n"): literal(.null, 4, into: &tape)
    default:
      while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) {
        position += 1
      }
      let isDouble = bytes[start..<position].contains { ".eE".utf8.contains($0) }
      let length = position - start
      precondition(length > 0, "the line is no JSON")
      tape.append(
        TapeEntry(
          start: start, length: length, next: tape.count + 1, kind: isDouble ? .double : .integer))
    }
  }

  private mutating func literal(_ kind: TapeKind, _ length: Int, into tape: inout Tape) {
    tape.append(TapeEntry(start: position, length: length, next: tape.count + 1, kind: kind))
    position += length
  }

  private mutating func container(_ kind: TapeKind, end: UInt8, into tape: inout Tape) {
    let start = position
    let entry = tape.append(TapeEntry(start: start, length: 0, next: 0, kind: kind))
    position += 1
    space()
    while bytes[position] != end {
      if kind == .object {
        space()
        let key = string(.key, into: &tape)
        space()
        position += 1
        value(into: &tape)
        tape[key].next = UInt32(tape.count)
      } else {
        value(into: &tape)
      }
      space()
      if bytes[position] == UInt8(ascii: ",") { position += 1 }
      space()
    }
    position += 1
    tape[entry].length = UInt32(position - start)
    tape[entry].next = UInt32(tape.count)
  }

  @discardableResult
  private mutating func string(_ kind: TapeKind, into tape: inout Tape) -> Int {
    position += 1
    let start = position
    while bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    let raw = bytes[start..<position]
    position += 1
    guard raw.contains(UInt8(ascii: "\\")) else {
      return tape.append(
        TapeEntry(start: start, length: raw.count, next: tape.count + 1, kind: kind))
    }
    let decodedStart = tape.decoded.count
    for byte in Self.decode(Array(raw)) { tape.decoded.append(byte) }
    return tape.append(
      TapeEntry(
        start: decodedStart, length: tape.decoded.count - decodedStart, next: tape.count + 1,
        kind: kind, flags: TapeEntry.decoded))
  }

  private static func decode(_ raw: [UInt8]) -> [UInt8] {
    let plain: [Character: UInt8] = [
      "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "\"": 34, "\\": 92, "/": 47,
    ]
    var units: [UInt16] = []
    var result: [UInt8] = []
    var index = 0
    func flush() {
      result += Array(String(decoding: units, as: UTF16.self).utf8)
      units = []
    }
    while index < raw.count {
      if raw[index] != UInt8(ascii: "\\") {
        flush()
        result.append(raw[index])
        index += 1
      } else if raw[index + 1] == UInt8(ascii: "u") {
        let digits = String(decoding: raw[index + 2..<index + 6], as: UTF8.self)
        units.append(UInt16(digits, radix: 16) ?? 0)
        index += 6
      } else {
        flush()
        result.append(plain[Character(Unicode.Scalar(raw[index + 1]))] ?? 0)
        index += 2
      }
    }
    flush()
    return result
  }
}
