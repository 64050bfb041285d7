package import Pipeline

/// The result of a benchmark.
package struct BenchResult: Sendable {
  /// The measurement of one subject.
  package struct Entry: Sendable {
    package let subject: BenchSubject
    /// Log lines processed per run.
    package let records: Int
    /// Bytes of JSON processed per run.
    package let bytes: Int
    /// Seconds of each run.
    package let seconds: Measurements
    /// Calls of the memory allocator in one run after the warm-up; nil if they cannot be counted.
    package let allocations: Int?

    /// Nanoseconds per record.
    package var perRecord: Measurements { seconds.scaled(by: 1e9 / Double(max(records, 1))) }
    /// Records per second, by the median.
    package var recordRate: Double { Double(records) / max(seconds.median, 1e-9) }
    /// Bytes of JSON per second, by the median.
    package var byteRate: Double { Double(bytes) / max(seconds.median, 1e-9) }
    /// Allocations per record.
    package var allocationRate: Double? {
      allocations.map { Double($0) / Double(max(records, 1)) }
    }
  }

  /// In the order of ``BenchSubject``.
  package let entries: [Entry]
  /// Files in the named directories that are not inputs; not measured.
  package var ignoredFiles = IgnoredFiles()

  package init(_ entries: [Entry]) { self.entries = entries }

  /// Seconds of all stages together, by the medians; nil when not all were measured.
  package var total: Double? {
    let stages = entries.filter { $0.subject.kind == .stage }
    guard stages.count == BenchSubject.allCases.count(where: { $0.kind == .stage }) else {
      return nil
    }
    return stages.reduce(0) { $0 + $1.seconds.median }
  }

  /// The share of `entry`, a stage or a part of one, in the time of all stages, in percent.
  package func share(of entry: Entry) -> Double? {
    entry.subject.kind == .job ? nil : total.map { 100 * entry.seconds.median / max($0, 1e-9) }
  }

  /// Version of the format.
  static let version = 1

  /// Whether a file with this beginning is the result of a benchmark.
  package static func isResult(_ beginning: [UInt8]) -> Bool {
    beginning.starts(with: "{\"eventmill_bench\":".utf8)
  }

  /// The result as one line of JSON, with the comparison with `baseline`, if there is one.
  package func json(beside baseline: BenchBaseline? = nil) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("eventmill_bench", BenchResult.version)
      json.objects("results", of: entries) { entry, json in
        write(entry, to: &json)
        if let comparison = baseline.flatMap({ comparison(of: entry, with: $0) }) {
          write(comparison, to: &json)
        }
      }
    }
  }

  private func write(_ entry: Entry, to json: inout JSONWriter) {
    json.member("name", entry.subject.name)
    json.member("kind", entry.subject.kind.rawValue)
    json.member("records", entry.records)
    json.member("bytes", entry.bytes)
    json.member("records_per_second", entry.recordRate)
    json.member("bytes_per_second", entry.byteRate)
    json.object("ns_per_record") { json in
      let time = entry.perRecord
      json.member("median", time.median)
      json.member("min", time.least)
      json.member("max", time.most)
      json.array("samples", of: time.sorted)
    }
    json.member("allocations_per_record", entry.allocationRate)
    json.member("share_percent", share(of: entry))
  }

  private func write(_ comparison: BenchComparison, to json: inout JSONWriter) {
    json.object("baseline") { json in
      json.member("ns_per_record", comparison.before.median)
      json.member("ratio", comparison.ratio)
      json.member("verdict", comparison.verdict.rawValue)
      json.member("same_work", comparison.isSameWork)
    }
  }
}
