import Jobs
import Pipeline

/// The results of a benchmark, for people.
enum BenchTable {
  /// A table of stages, one of jobs, and a comparison with `baseline`, each if it has content.
  static func tables(of result: BenchResult, beside baseline: BenchBaseline?) -> [TextTable] {
    let stages = result.entries.filter { $0.subject.kind != .job }
    let jobs = result.entries.filter { $0.subject.kind == .job }
    var tables: [TextTable] = []
    if !stages.isEmpty { tables.append(figures(of: stages, "stage", in: result)) }
    if !jobs.isEmpty { tables.append(figures(of: jobs, "job", in: result)) }
    if let baseline { tables.append(comparison(of: result, with: baseline)) }
    return tables
  }

  private static func figures(
    of entries: [BenchResult.Entry], _ title: String, in result: BenchResult
  ) -> TextTable {
    var table = TextTable([
      (title, .left), ("records/s", .right), ("MB/s", .right), ("ns/record", .right),
      ("min–max", .right), ("allocs/record", .right), ("share", .right),
    ])
    for entry in entries {
      let time = entry.perRecord
      table.add([
        name(entry.subject), NumberFormat.grouped(Int(entry.recordRate)),
        NumberFormat.grouped(Int(entry.byteRate / 1e6)), NumberFormat.tenths(time.median),
        "\(NumberFormat.tenths(time.least))–\(NumberFormat.tenths(time.most))",
        entry.allocationRate.map(NumberFormat.thousandths) ?? "-",
        result.share(of: entry).map { "\(NumberFormat.tenths($0)) %" } ?? "-",
      ])
    }
    return table
  }

  private static func comparison(
    of result: BenchResult, with baseline: BenchBaseline
  ) -> TextTable {
    var table = TextTable([
      ("beside the baseline", .left), ("ns/record then", .right), ("now", .right),
      ("ratio", .right), ("beyond noise", .left),
    ])
    for entry in result.entries {
      guard let comparison = result.comparison(of: entry, with: baseline) else { continue }
      let verdict = comparison.verdict
      table.add([
        entry.subject.kind == .job ? "\(entry.subject.name) (job)" : name(entry.subject),
        NumberFormat.tenths(comparison.before.median), NumberFormat.tenths(comparison.now.median),
        NumberFormat.thousandths(comparison.ratio), verdict == .same ? "" : verdict.rawValue,
      ])
    }
    return table
  }

  /// Parts of a stage are indented.
  private static func name(_ subject: BenchSubject) -> String {
    subject.kind == .part ? "  \(subject.name)" : subject.name
  }
}
