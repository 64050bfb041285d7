package import Pipeline

/// The first line of every part of a state, in a frame of its own:
/// `{"eventmill_state":VERSION,"partition":0,"partitions":1}`.
package struct StateHeader: Equatable, Sendable {
  /// Version of the format of frames (``StateText``), and the only one that is read.
  package static let version = 13
  /// The most partitions of a state.
  package static let maximumPartitions = 1 << 20

  package var partition: Int
  /// Number of parts; a key is in part XXH64(key text) mod `partitions`.
  package var partitions: Int

  package init(partition: Int, partitions: Int) {
    (self.partition, self.partitions) = (partition, partitions)
  }

  package func append(to out: inout ByteBuffer) {
    JSONWriter.line(to: &out) { json in
      json.member("eventmill_state", StateHeader.version)
      json.member("partition", partition)
      json.member("partitions", partitions)
    }
  }

  /// Reads the header from `text`, the first frame of the file `path`.
  package init(_ text: ByteView, path: String) throws(Failure) {
    let tape = Tape(numbersNames: false)
    tape.bind(to: text)
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")), UTF8Check.isValid(text[0..<end]),
      case .value(let root) = Scanner.scan(line: 0..<end, into: tape)
    else { throw Self.corrupt(path, "the first line is not a state header") }
    // A value that is not a count is -1.
    func number(_ field: ByteView) -> Int? {
      tape.member(field, of: root).map { tape.count(at: $0) ?? -1 }
    }
    guard let version = number("eventmill_state") else {
      throw Self.corrupt(path, "the first line is not a state header")
    }
    guard version == StateHeader.version else {
      throw Self.corrupt(
        path,
        "it has format \(version); this version of eventmill reads format \(StateHeader.version)",
        advice: [
          "use the version of eventmill that wrote it", "make the nights again from their logs",
        ])
    }
    guard let partitions = number("partitions"), let partition = number("partition"),
      1...Self.maximumPartitions ~= partitions, 0..<partitions ~= partition
    else { throw Self.corrupt(path, "the state header is incomplete") }
    self.init(partition: partition, partitions: partitions)
  }

  private static func corrupt(
    _ path: String, _ why: String,
    advice: [String] = ["name the output directory of an earlier run"]
  ) -> Failure {
    Failure(.corrupt, doing: "reading the state", path: path, line: 1, why: why, advice: advice)
  }
}

/// Numbers in the form of a state.
package enum StateNumber {
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
