import Pipeline
package import Stages

/// The counts by day of an output, as its totals have them (`daily_counts.ndjson`).
struct DailyFigures {
  /// The day from which on the figures are complete; 0 where they always were.
  let start: Int
  let active: ActivePeople
  let events: [(name: String, days: [CountPairs.Pair])]
}

/// The differences between the counts by day of two outputs. Exact: a day is the same only if all
/// of its lines are.
package struct DailyChanges: Sendable {
  /// The counts of an output on a day.
  package struct Figures: Equatable, Sendable {
    package var events = 0
    package var active = 0
    package var new = 0
  }

  /// A day that is not the same in both outputs.
  package struct Day: Sendable {
    /// `2024-06-01`.
    package let name: String
    /// Nil where the output has no such day.
    package let old: Figures?
    package let new: Figures?

    package var events: Change { Change(old?.events ?? 0, new?.events ?? 0) }
    package var active: Change { Change(old?.active ?? 0, new?.active ?? 0) }
  }

  /// Whether each output has counts by day; where one has none, nothing else is compared.
  package let isCounted: (old: Bool, new: Bool)
  /// The day from which on each is complete; nil where all days are.
  package private(set) var start: (old: String?, new: String?) = (nil, nil)
  /// The days that are not the same, sorted, and how many are.
  package private(set) var days: [Day] = []
  package private(set) var equal = 0
  /// The weeks and months whose active people are not the same, sorted.
  package private(set) var weeks: [(name: String, active: Change)] = []
  package private(set) var months: [(name: String, active: Change)] = []

  /// The days that only the new output has, that only the old one has, and the others that differ.
  package var counts: ProfileCounts {
    var counts = ProfileCounts()
    counts.added = days.count { $0.old == nil }
    counts.gone = days.count { $0.new == nil }
    counts.changed = days.count - counts.added - counts.gone
    counts.equal = equal
    return counts
  }

  package var isEqual: Bool {
    isCounted.old == isCounted.new && start.old == start.new && days.isEmpty && weeks.isEmpty
      && months.isEmpty
  }

  /// Nil where neither output counts by day. Complexity: O(figures).
  init?(from old: DailyFigures?, to new: DailyFigures?) {
    isCounted = (old != nil, new != nil)
    guard let old, let new else {
      if old == nil, new == nil { return nil }
      return
    }
    let text = { (day: Int) in day == 0 ? nil : DayNumber.text(day) }
    start = (text(old.start), text(new.start))
    let differing = Self.differing(old, new)
    for (day, before, after) in Self.figures(old).joined(with: Self.figures(new)) {
      if before == after, !differing.contains(day) {
        equal += 1
      } else {
        days.append(Day(name: DayNumber.text(day), old: before, new: after))
      }
    }
    weeks = Self.changes(old.active.counts(by: .weeks), new.active.counts(by: .weeks))
      .map { (DayNumber.text(week: $0), $1) }
    months = Self.changes(old.active.counts(by: .months), new.active.counts(by: .months))
      .map { (DayNumber.text(month: $0), $1) }
  }

  private static func figures(_ side: DailyFigures) -> [Int: Figures] {
    var days: [Int: Figures] = [:]
    for (_, counts) in side.events {
      for (day, count) in counts { days[day, default: Figures()].events += count }
    }
    for (day, people) in side.active.counts(by: .days) {
      days[day, default: Figures()].active = people
    }
    for (first, active) in side.active.cohortCounts {
      for (day, people) in active where day == first { days[day, default: Figures()].new = people }
    }
    return days
  }

  /// The days on which the counts of an event name, or of people of one first day, differ.
  private static func differing(_ old: DailyFigures, _ new: DailyFigures) -> Set<Int> {
    func counts(_ side: DailyFigures) -> [String: [CountPairs.Pair]] {
      // Names of events have no blanks.
      let people = side.active.cohortCounts.map { ("new on \($0.first)", $0.active) }
      return Dictionary(side.events.map { ($0.name, $0.days) } + people) { $1 }
    }
    return counts(old).joined(with: counts(new)).reduce(into: []) { days, counts in
      days.formUnion(changes(counts.old ?? [], counts.new ?? []).map(\.number))
    }
  }

  /// The numbers that have other counts, sorted; what is missing counts as 0.
  private static func changes(
    _ old: [CountPairs.Pair], _ new: [CountPairs.Pair]
  ) -> [(number: Int, count: Change)] {
    Dictionary(old.map { ($0.number, $0.count) }) { $1 }
      .joined(with: Dictionary(new.map { ($0.number, $0.count) }) { $1 })
      .map { ($0.key, Change($0.old ?? 0, $0.new ?? 0)) }.filter(\.1.isChange)
  }
}
