package import Pipeline

/// The result of an earlier benchmark, to compare with.
package struct BenchBaseline: Sendable {
  struct Measurement: Sendable {
    let name: String
    let kind: String
    let records: Int
    let bytes: Int
    /// Nanoseconds per record.
    let perRecord: Measurements
  }

  let measurements: [Measurement]

  /// Reads the file `path`, which `--save` wrote, or `--json` printed.
  /// - Throws: `io`; `corrupt` for damaged compression; `usage` for any other file.
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
    guard let line = first, let found = BenchBaseline.read(block.bytes[line]) else {
      throw Failure(
        .usage, doing: "reading the baseline", path: path,
        why: "it is not a result of eventmill bench in format \(BenchResult.version)",
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

  // MARK: Reading

  /// The measurements in a line of JSON, or nil when it is not a result of this version.
  private static func read(_ line: ByteView) -> [Measurement]? {
    guard let root = (try? JSONDocument(line))?.root,
      root["eventmill_bench"]?.int == BenchResult.version,
      let results = root["results"], results.kind == .array
    else { return nil }
    let found = results.items.compactMap(Measurement.init)
    return found.count == results.items.count ? found : nil
  }
}

extension BenchBaseline.Measurement {
  fileprivate init?(_ item: JSONValue) {
    let samples = item["ns_per_record"]?["samples"]?.items ?? []
    let values = samples.compactMap(\.double).filter { $0 > 0 }
    guard let name = item["name"]?.text, let kind = item["kind"]?.text,
      let records = item["records"]?.int, let bytes = item["bytes"]?.int,
      !values.isEmpty, values.count == samples.count
    else { return nil }
    self.init(
      name: name, kind: kind, records: records, bytes: bytes, perRecord: Measurements(values))
  }
}
