package import Pipeline

/// The result of a benchmark.
package struct BenchResult: Document, Sendable {
  package struct Entry: Document, Sendable {
    package private(set) var name = ""
    package private(set) var kind = BenchSubject.Kind.stage
    package private(set) var records = 0
    package private(set) var bytes = 0
    /// Nanoseconds per record.
    package private(set) var perRecord = Measurements([1])
    /// Its percentage of the time of all stages; nil when not all were measured.
    package fileprivate(set) var share: Double?
    package fileprivate(set) var comparison: BenchComparison?

    package static let fields: [Field<Entry>] = [
      .value("name", \.name), .value("kind", \.kind), .size("records", \.records),
      .size("bytes", \.bytes),
      .written("records_per_second", \.recordRate), .written("bytes_per_second", \.byteRate),
      .group(
        "ns_per_record",
        [
          .written("median", \.perRecord.median), .written("min", \.perRecord.least),
          .written("max", \.perRecord.most),
          .row("samples", \.perRecord) {
            $0.sorted.write(to: &$1)
          } read: { value, reading throws(DocumentDamage) in
            let values = try [Double].read(value, &reading)
            guard !values.isEmpty, values.allSatisfy({ $0 > 0 }) else {
              throw .isNot("an array of numbers above 0")
            }
            return Measurements(values)
          },
        ]), .written { entry, json in json.member("share_percent", entry.share) },
      .written("baseline", \.comparison),
    ]

    package init() {}

    init(_ subject: BenchSubject, records: Int, bytes: Int, seconds: [Double]) {
      (name, kind, self.records, self.bytes) = (subject.name, subject.kind, records, bytes)
      perRecord = Measurements(seconds).scaled(by: 1e9 / Double(max(records, 1)))
    }

    var seconds: Measurements { perRecord.scaled(by: Double(max(records, 1)) / 1e9) }
    /// Records per second, by the median.
    package var recordRate: Double { Double(records) / max(seconds.median, 1e-9) }
    /// Bytes of JSON per second, by the median.
    package var byteRate: Double { Double(bytes) / max(seconds.median, 1e-9) }
  }

  /// In the order of ``BenchSubject``.
  package private(set) var entries: [Entry] = []
  package var ignoredFiles = IgnoredFiles()
  package private(set) var isCompared = false

  package static let fields: [Field<BenchResult>] = [
    .format("eventmill_bench", version), .value("results", \.entries),
  ]
  private static let version = 2
  private static let longest = 1 << 20

  package init() {}

  init(_ entries: [Entry]) {
    self.entries = entries
    let stages = entries.filter { $0.kind == .stage }
    guard stages.count == BenchSubject.allCases.count(where: { $0.kind == .stage }) else { return }
    let total = stages.reduce(0) { $0 + $1.seconds.median }
    for index in entries.indices where entries[index].kind != .job {
      self.entries[index].share = 100 * entries[index].seconds.median / max(total, 1e-9)
    }
  }

  package static func isResult(_ beginning: [UInt8]) -> Bool {
    beginning.starts(with: "{\"eventmill_bench\":".utf8)
  }

  /// Reads the file `path`, which `--save` wrote, or `--json` printed.
  /// - Throws: `io`; `corrupt` for damaged compression; `usage` for any other file.
  package init(baseline path: String) throws(Failure) {
    try System.real.checkReadable(path, doing: "reading the baseline")
    let reader = try BlockReader(InputFile(path: path, size: nil), index: 0, maxLine: Self.longest)
    defer { reader.close() }
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var first: Range<Int>?
    if try reader.fill(block), block.overlong == nil {
      var cursor = LineCursor(bytes: block.bytes)
      first = cursor.next()
    }
    guard let line = first,
      let result = BenchResult(orNil: (try? JSONDocument(block.bytes[line]))?.root)
    else {
      throw Failure(
        .usage, doing: "reading the baseline", path: path,
        why: "it is not a result of eventmill bench in format \(Self.version)",
        advice: "make one with: eventmill bench --save FILE")
    }
    self = result
  }

  /// The result with a comparison for each subject that `baseline` measured, too.
  package func compared(with baseline: BenchResult) -> BenchResult {
    var result = self
    result.isCompared = true
    for index in entries.indices {
      let now = entries[index]
      result.entries[index].comparison = baseline.entries.first {
        $0.name == now.name && $0.kind == now.kind
      }.map {
        BenchComparison(
          before: $0.perRecord, now: now.perRecord,
          isSameWork: $0.records == now.records && $0.bytes == now.bytes)
      }
    }
    return result
  }
}

/// One subject compared with an earlier measurement.
package struct BenchComparison: WrittenObject, Sendable {
  package enum Verdict: String, DocumentWord, Sendable {
    /// `same` means no difference beyond noise.
    case faster, slower, same
  }

  package static let fields: [Field<BenchComparison>] = [
    .written("ns_per_record", \.before.median), .written("ratio", \.ratio),
    .written("verdict", \.verdict), .written("same_work", \.isSameWork),
  ]

  /// Nanoseconds per record of the baseline.
  package let before: Measurements
  /// Nanoseconds per record now.
  package let now: Measurements
  /// Whether both processed as many lines and bytes; otherwise the ratio means little.
  package let isSameWork: Bool

  /// The ratio of the medians, now to before: below 1 is faster.
  package var ratio: Double { now.median / before.median }

  package var verdict: Verdict {
    guard now.differs(from: before) else { return .same }
    return now.median < before.median ? .faster : .slower
  }
}
