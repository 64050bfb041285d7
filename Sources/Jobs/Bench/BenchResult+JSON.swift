package import Pipeline

extension BenchResult {
  /// Version of the format.
  static let version = 1

  /// Whether a file that begins so is the result of a benchmark.
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
