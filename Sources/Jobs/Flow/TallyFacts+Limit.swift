package import Pipeline

/// `--max-rejects`: lines with a rejected part, as a number or as a share of the lines that are not
/// blank.
extension TallyFacts {
  /// Whether more lines have a rejected part than `limit` allows. The `lost` lines of inputs that
  /// are not logs do not count: those inputs are reported separately.
  package func exceeds(_ limit: RejectLimit, besides lost: Int = 0) -> Bool {
    switch limit {
    case .lines(let count): linesWithRejects - lost > count
    case .percent(let share):
      Double(linesWithRejects - lost) * 100 > share * Double(total.lines - total.blank - lost)
    }
  }

  /// The lines of inputs that are not logs.
  func lostLines(of inputs: [InputOutcome]) -> Int {
    zip(inputs, ledgers).reduce(0) { sum, input in
      input.0.lost != nil && !input.0.isLog ? sum + input.1.rejectedLines : sum
    }
  }

  /// The failure to end with when `limit` is exceeded; `path` is the file to inspect.
  package func failure(
    _ limit: RejectLimit, besides lost: Int = 0, path: String?, advice: [String]
  ) -> Failure {
    let (rejects, lines) = (linesWithRejects - lost, total.lines - total.blank - lost)
    return Failure(
      .rejects, doing: "checking --max-rejects", path: path,
      why: "\(NumberFormat.grouped(rejects)) of \(NumberFormat.count(lines, "line")) "
        + "\(rejects == 1 ? "has" : "have") a rejected part, more than \(limit.text)",
      advice: advice)
  }
}
