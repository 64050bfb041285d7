import Jobs
import Pipeline
import Stages

/// The effect of the policies for v1 events, for people.
enum PolicyTable {
  /// The table after an empty line; nothing when the policies make no difference.
  static func part(_ comparison: PolicyComparison, on console: Console) -> CommandResult.Part {
    let lines = lines(comparison, heading: console.heading)
    return .lines(lines.isEmpty ? [] : [""] + lines)
  }

  /// The lines of the table, the most frequent reason first, followed by the total cost of each
  /// policy; empty when the policies make no difference.
  static func lines(
    _ comparison: PolicyComparison, heading: (String) -> String = { $0 }
  ) -> [String] {
    guard comparison.lostByStrict > 0 else { return [] }
    let table = TextTable(
      of: comparison.mostFrequent,
      [
        .text("v1 events") { $0.code.text }, .number("strict rejects", \.row.rejected),
        .number("lenient saves", \.row.saved), .number("parts dropped", \.row.dropped),
      ])
    return table.lines(heading: heading) + [comparison.costs]
  }
}
