import Jobs
import Pipeline

/// The results of a benchmark, for people.
enum BenchTable {
  /// A table of stages, one of jobs, and the comparison with a baseline, each if it has content.
  static func tables(of result: BenchResult) -> [TextTable] {
    let stages = result.entries.filter { $0.kind != .job }
    let jobs = result.entries.filter { $0.kind == .job }
    return [(stages, "stage"), (jobs, "job")].filter { !$0.0.isEmpty }.map(figures)
      + (result.isCompared ? [comparison(of: result)] : [])
  }

  private static func figures(of entries: [BenchResult.Entry], _ title: String) -> TextTable {
    TextTable(
      of: entries,
      [
        .text(title, name), .number("records/s") { Int($0.recordRate) },
        .number("MB/s") { Int($0.byteRate / 1e6) },
        .right("ns/record") { NumberFormat.tenths($0.perRecord.median) },
        .right("min–max") { entry in
          [entry.perRecord.least, entry.perRecord.most].map(NumberFormat.tenths)
            .joined(separator: "–")
        },
        .right("share") { $0.share.map { "\(NumberFormat.tenths($0)) %" } ?? "-" },
      ])
  }

  private static func comparison(of result: BenchResult) -> TextTable {
    TextTable(
      of: result.entries.compactMap { entry in entry.comparison.map { (entry, $0) } },
      [
        .text("beside the baseline") { $0.0.kind == .job ? "\($0.0.name) (job)" : name($0.0) },
        .right("ns/record then") { NumberFormat.tenths($0.1.before.median) },
        .right("now") { NumberFormat.tenths($0.1.now.median) },
        .right("ratio") { NumberFormat.thousandths($0.1.ratio) },
        .text("beyond noise") { $0.1.verdict == .same ? "" : $0.1.verdict.rawValue },
      ])
  }

  /// Parts of a stage are indented.
  private static func name(_ entry: BenchResult.Entry) -> String {
    entry.kind == .part ? "  \(entry.name)" : entry.name
  }
}
