package import Pipeline

/// The first line of every part of a state, in a frame of its own:
/// `{"eventmill_state":VERSION,"partition":0,"partitions":1}`.
package struct StateHeader: Equatable, Sendable {
  /// Version of the format of frames (``StateText``), and the only one that is read.
  package static let version = 13
  /// The most partitions of a state.
  package static let maximumPartitions = 1 << 20

  /// Which part this is, 0-based.
  package var partition: Int
  /// Number of parts; a key is in part XXH64(key text) mod `partitions`.
  package var partitions: Int

  package init(partition: Int, partitions: Int) {
    self.partition = partition
    self.partitions = partitions
  }

  /// Appends the line.
  package func append(to out: inout ByteBuffer) {
    JSONWriter.line(to: &out) { json in
      json.member("eventmill_state", StateHeader.version)
      json.member("partition", partition)
      json.member("partitions", partitions)
    }
  }

  /// Reads the header from `text`, the first frame of the file `path`.
  ///
  /// - Throws: `Failure` of kind corrupt when it is not a header of a supported version.
  package init(_ text: ByteView, path: String) throws(Failure) {
    var version: Int?
    var header = StateHeader(partition: -1, partitions: -1)
    let tape = Tape(numbersNames: false)
    tape.bind(to: text)
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")), UTF8Check.isValid(text[0..<end]),
      case .value(let root) = Scanner.scan(line: 0..<end, into: tape)
    else { throw Self.corrupt(path, "the first line is not a state header") }
    tape.forEachMember(of: root) { position in
      let name = tape.bytes(at: position)
      let number = StateNumber.integer(at: position + 1, of: tape) ?? -1
      if name == "eventmill_state" { version = number }
      if name == "partition" { header.partition = number }
      if name == "partitions" { header.partitions = number }
    }
    guard let version else { throw Self.corrupt(path, "the first line is not a state header") }
    guard version == StateHeader.version else {
      throw Self.corrupt(
        path,
        "it has format \(version); this version of eventmill reads format \(StateHeader.version)",
        advice: "use the version of eventmill that wrote it")
    }
    guard 1...Self.maximumPartitions ~= header.partitions,
      0..<header.partitions ~= header.partition
    else { throw Self.corrupt(path, "the state header is incomplete") }
    self = header
  }

  private static func corrupt(
    _ path: String, _ why: String, advice: String = "name the output directory of an earlier run"
  ) -> Failure {
    Failure(.corrupt, doing: "reading the state", path: path, line: 1, why: why, advice: advice)
  }
}

/// Numbers in the form of a state.
package enum StateNumber {
  /// The integer at tape index `position`, or nil.
  package static func integer(at position: Int, of tape: Tape) -> Int? {
    let entry = tape[position]
    guard entry.kind == .integer else { return nil }
    let text = tape.bytes(entry)
    var value = 0
    for index in 0..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(digit))
      if overflow || carry { return nil }
      value = sum
    }
    return text.isEmpty ? nil : value
  }

  /// The id in 32 lower-case hexadecimal digits, or nil: 16 of its high word, 4 of the low one, 12
  /// of its input.
  static func eventID(_ text: ByteView) -> EventID? {
    guard let words = words(text) else { return nil }
    return EventID(high: words.high, tail: words.low << 16 | words.low >> 48)
  }

  /// The two words in 32 lower-case hexadecimal digits, or nil.
  static func words(_ text: ByteView) -> (high: UInt64, low: UInt64)? {
    guard text.count == 32 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<32 {
      let digit: UInt8
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = text[index] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = text[index] - UInt8(ascii: "a") + 10
      default: return nil
      }
      words.high = words.high << 4 | words.low >> 60
      words.low = words.low << 4 | UInt64(digit)
    }
    return words
  }

  /// Number of digits that identify the event: the others are the input.
  static let ownDigits = 20

  /// Appends the 32 digits of `id`.
  static func append(_ id: EventID, to out: inout ByteBuffer) {
    out.append(hex: id.high)
    out.append(hex: id.tail << 48 | id.tail >> 16)
  }

  /// Appends the first ``ownDigits`` of `id`.
  static func appendKey(_ id: EventID, to out: inout ByteBuffer) {
    out.append(hex: id.high)
    out.append(hex: id.lowBits, digits: ownDigits - 16)
  }
}
