package import Pipeline

/// `--max-rejects`: lines of which something was rejected, as a number or as a share of the lines
/// that are not blank.
extension TallyFacts {
  /// Whether more lines have a rejected part than `limit` allows. All `lost` lines have one, and do
  /// not count: they are those of inputs that are not logs, which is told otherwise.
  package func exceeds(_ limit: RejectLimit, besides lost: Int = 0) -> Bool {
    switch limit {
    case .lines(let count): linesWithRejects - lost > count
    case .percent(let share):
      Double(linesWithRejects - lost) * 100 > share * Double(total.lines - total.blank - lost)
    }
  }

  /// The lines of those inputs that are lost because they are not logs.
  func lostLines(of inputs: [InputOutcome]) -> Int {
    zip(inputs, ledgers).reduce(0) { sum, input in
      input.0.lost != nil && !input.0.isLog ? sum + input.1.rejectedLines : sum
    }
  }

  /// The failure to end with when `limit` is exceeded; `path` is where to look.
  package func failure(
    _ limit: RejectLimit, besides lost: Int = 0, path: String?, advice: String
  ) -> Failure {
    return Failure(
      .rejects, doing: "checking --max-rejects", path: path,
      why: "\(linesWithRejects - lost) of \(total.lines - total.blank - lost) lines have a "
        + "rejected part, more than \(limit.text)",
      advice: advice)
  }
}
