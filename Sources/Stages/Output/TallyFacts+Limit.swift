package import Pipeline

/// `--max-rejects`: lines of which something was rejected, as a number or as a share of the lines
/// that are not blank.
extension TallyFacts {
  /// Whether more lines have a rejected part than `limit` allows.
  package func exceeds(_ limit: RejectLimit) -> Bool {
    switch limit {
    case .lines(let count): linesWithRejects > count
    case .percent(let share):
      Double(linesWithRejects) * 100 > share * Double(total.lines - total.blank)
    }
  }

  /// The failure to end with when `limit` is exceeded; `path` is where to look.
  package func failure(_ limit: RejectLimit, path: String?, advice: String) -> Failure {
    let allowed =
      switch limit {
      case .lines(let count): "\(count)"
      case .percent(let share): "\(share)%"
      }
    return Failure(
      .rejects, doing: "checking --max-rejects", path: path,
      why: "\(linesWithRejects) of \(total.lines) lines have a rejected part, more than "
        + "\(allowed)",
      advice: advice)
  }
}
