package import Pipeline

/// The result of an earlier benchmark, to compare with.
package struct BenchBaseline: Sendable {
  /// What was measured of one subject.
  struct Measurement: Sendable {
    let name: String
    let kind: String
    let records: Int
    let bytes: Int
    /// Nanoseconds per record.
    let perRecord: Samples
  }

  let measurements: [Measurement]

  /// Reads the file `path`, which `--save` wrote, or `--json` printed.
  ///
  /// - Throws: `io`; `corrupt` when it is compressed and damaged; `usage` when it is something
  ///   else.
  package init(path: String) throws(Failure) {
    try System.real.checkReadable(path, doing: "reading the baseline")
    let reader = try BlockReader(
      InputFile(path: path, size: nil), index: 0, maxLine: BenchBaseline.longest)
    defer { reader.close() }
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var first: Range<Int>?
    if try reader.fill(block), block.overlong == nil {
      var cursor = LineCursor(bytes: block.bytes)
      first = cursor.next()
    }
    guard let line = first, let found = BenchBaseline.read(block.bytes, line) else {
      throw Failure(
        .usage, doing: "reading the baseline", path: path,
        why: "it is no result of eventmill bench in format \(BenchResult.version)",
        advice: "make one with: eventmill bench --save FILE")
    }
    measurements = found
  }

  /// Bytes of the longest result; far more than any has.
  private static let longest = 1 << 20

  /// The measurement of `subject`, if it was measured.
  subscript(subject: BenchSubject) -> Measurement? {
    measurements.first { $0.name == subject.name && $0.kind == subject.kind.rawValue }
  }
}

// MARK: - Reading

extension BenchBaseline {
  /// The measurements in a line of JSON, or nil when it is no result of this version.
  private static func read(_ bytes: ByteView, _ line: Range<Int>) -> [Measurement]? {
    guard UTF8Check.isValid(bytes[line]) else { return nil }
    let tape = Tape()
    tape.bind(to: bytes)
    guard case .value(let root) = Scanner.scan(line: line, into: tape),
      let version = member("eventmill_bench", of: root, in: tape),
      tape.bytes(at: version).text == String(BenchResult.version),
      let results = member("results", of: root, in: tape), tape[results].kind == .array
    else { return nil }
    var found: [Measurement] = []
    var item = results + 1
    while item < Int(tape[results].next) {
      guard let measurement = measurement(at: item, in: tape) else { return nil }
      found.append(measurement)
      item = Int(tape[item].next)
    }
    return found
  }

  private static func measurement(at node: Int, in tape: Tape) -> Measurement? {
    guard let name = member("name", of: node, in: tape),
      let kind = member("kind", of: node, in: tape),
      let records = number("records", of: node, in: tape),
      let bytes = number("bytes", of: node, in: tape),
      let time = member("ns_per_record", of: node, in: tape),
      let samples = member("samples", of: time, in: tape), tape[samples].kind == .array
    else { return nil }
    var values: [Double] = []
    var item = samples + 1
    while item < Int(tape[samples].next) {
      guard let value = Double(tape.bytes(at: item).text), value > 0 else { return nil }
      values.append(value)
      item = Int(tape[item].next)
    }
    guard !values.isEmpty else { return nil }
    return Measurement(
      name: tape.bytes(at: name).text, kind: tape.bytes(at: kind).text, records: records,
      bytes: bytes, perRecord: Samples(values))
  }

  private static func number(
    _ key: ByteView, of node: Int, in tape: Tape
  ) -> Int? {
    member(key, of: node, in: tape).flatMap { Int(tape.bytes(at: $0).text) }
  }

  /// The tape index of the value of `key` in the object at `node`.
  private static func member(
    _ key: ByteView, of node: Int, in tape: Tape
  ) -> Int? {
    guard tape[node].kind == .object else { return nil }
    var place = node + 1
    while place < Int(tape[node].next) {
      if tape.bytes(at: place) == key { return place + 1 }
      place = Int(tape[place].next)
    }
    return nil
  }
}
