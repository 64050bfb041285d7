import Jobs
import Pipeline

/// The results of a benchmark, for people.
enum BenchTable {
  /// A table of stages, one of jobs, and the comparison with a baseline, each if it has content.
  static func tables(of result: BenchResult) -> [TextTable] {
    let stages = result.entries.filter { $0.kind != .job }
    let jobs = result.entries.filter { $0.kind == .job }
    var tables: [TextTable] = []
    if !stages.isEmpty { tables.append(figures(of: stages, "stage")) }
    if !jobs.isEmpty { tables.append(figures(of: jobs, "job")) }
    if result.isCompared { tables.append(comparison(of: result)) }
    return tables
  }

  private static func figures(of entries: [BenchResult.Entry], _ title: String) -> TextTable {
    var table = TextTable([
      (title, .left), ("records/s", .right), ("MB/s", .right), ("ns/record", .right),
      ("min–max", .right), ("allocs/record", .right), ("share", .right),
    ])
    for entry in entries {
      let time = entry.perRecord
      table.add([
        name(entry), NumberFormat.grouped(Int(entry.recordRate)),
        NumberFormat.grouped(Int(entry.byteRate / 1e6)), NumberFormat.tenths(time.median),
        "\(NumberFormat.tenths(time.least))–\(NumberFormat.tenths(time.most))",
        entry.allocationRate.map(NumberFormat.thousandths) ?? "-",
        entry.share.map { "\(NumberFormat.tenths($0)) %" } ?? "-",
      ])
    }
    return table
  }

  private static func comparison(of result: BenchResult) -> TextTable {
    var table = TextTable([
      ("beside the baseline", .left), ("ns/record then", .right), ("now", .right),
      ("ratio", .right), ("beyond noise", .left),
    ])
    for entry in result.entries {
      guard let comparison = entry.comparison else { continue }
      let verdict = comparison.verdict
      table.add([
        entry.kind == .job ? "\(entry.name) (job)" : name(entry),
        NumberFormat.tenths(comparison.before.median), NumberFormat.tenths(comparison.now.median),
        NumberFormat.thousandths(comparison.ratio), verdict == .same ? "" : verdict.rawValue,
      ])
    }
    return table
  }

  /// Parts of a stage are indented.
  private static func name(_ entry: BenchResult.Entry) -> String {
    entry.kind == .part ? "  \(entry.name)" : entry.name
  }
}
