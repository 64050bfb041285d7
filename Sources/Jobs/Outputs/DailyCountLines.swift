import Pipeline
import Stages

/// Writes `daily_counts.ndjson` (docs/reference/file-formats.md).
///
/// Months and weeks come first, then days, so that every kind of line is among the first ones: a
/// reader that infers columns from these finds all.
struct DailyCountLines: ~Copyable {
  /// Bytes written at once.
  private static let pieceLength = 1 << 20

  /// Most pairs of a day and a name sorted at once, unless one day has more: 12 MB.
  private static let mostSorted = 1 << 19

  private let names: NameList
  private let active: ActivePeople
  /// The day from which on they are complete; 0 if they always were.
  private let start: Int
  /// Number of events, by name and day.
  private let events: PackedDays
  /// Number of names with events, by day.
  private var namesOfDays: [Int]
  /// Events without a known day, by name.
  private let others: [(name: UInt32, count: Int)]
  private var text = ByteBuffer()
  private var lines = 0

  /// Lines for the events in `totals` and for `active` people, complete from the day `start` on.
  init(_ totals: EventTotals, _ names: NameList, _ active: ActivePeople, from start: Int) {
    (self.names, self.active, self.start) = (names, active, start)
    events = totals.days.packed
    var known: [UInt32: Int] = [:]
    var namesOfDays = [Int](repeating: 0, count: DayNumber.range.upperBound)
    events.forEach { event, count in
      known[event.name, default: 0] += count
      namesOfDays[Int(event.day)] += 1
    }
    self.namesOfDays = namesOfDays
    others = names.sorted.compactMap { name in
      let count = totals[name].count - (known[name] ?? 0)
      return count > 0 ? (name, count) : nil
    }
  }

  /// Receives a text of whole lines, and their number.
  typealias Target = (_ text: ByteView, _ lines: Int) throws(Failure) -> Void

  /// Writes all lines to `file`, in pieces.
  ///
  /// - Throws: what it throws.
  mutating func write(to file: Target) throws(Failure) {
    if start > 0 { line { [start] json in json.member("complete_from", DayNumber.text(start)) } }
    for (month, people) in active.counts(by: .months) {
      line { json in
        json.member("month", DayNumber.text(month: month))
        json.member("active", people)
      }
    }
    for (week, people) in active.counts(by: .weeks) {
      line { json in
        json.member("week", DayNumber.text(week: week))
        json.member("active", people)
      }
    }
    try writeDays(to: file)
    let names = names
    for (name, count) in others {
      line { json in
        json.member("event", names[name])
        json.member("count", count)
      }
    }
    try append(to: file)
  }

  /// Writes the lines of each day: active people, those of each first day, events.
  private mutating func writeDays(to file: Target) throws(Failure) {
    var activeOfDays = [Int](repeating: 0, count: namesOfDays.count)
    for (day, people) in active.counts(by: .days) { activeOfDays[day] = people }
    var cohorts: [Int: [(first: Int, people: Int)]] = [:]
    for (first, days) in self.active.cohortCounts {
      for (day, people) in days { cohorts[day, default: []].append((first, people)) }
    }
    let names = names
    var sorted: [SortedEvent] = []
    var (next, end) = (0, 0)
    for day in DayNumber.range where activeOfDays[day] > 0 || namesOfDays[day] > 0 {
      if day >= end {
        (sorted, end) = events(from: day)
        next = 0
      }
      let text = DayNumber.text(day)
      let people = cohorts[day] ?? []
      line { json in
        json.member("day", text)
        json.member("active", activeOfDays[day])
        json.member("new", people.last { $0.first == day }?.people ?? 0)
      }
      for (first, people) in people {
        line { json in
          json.member("day", text)
          json.member("first", DayNumber.text(first))
          json.member("active", people)
        }
      }
      while next < sorted.count, sorted[next].day == day {
        let event = sorted[next]
        next += 1
        line { json in
          json.member("day", text)
          json.member("event", names[names.sorted[event.rank]])
          json.member("count", event.count)
        }
        if self.text.count >= Self.pieceLength { try append(to: file) }
      }
    }
  }

  /// The number of events of a name on a day.
  private struct SortedEvent {
    let day: Int
    /// The index of the name among the sorted names.
    let rank: Int
    let count: Int
  }

  /// The events of the day `first` and of some following days, sorted, and the day after these.
  ///
  /// Complexity: O(all pairs), for about ``mostSorted`` of them.
  private func events(from first: Int) -> (events: [SortedEvent], end: Int) {
    var (end, pairs) = (first, 0)
    repeat {
      pairs += namesOfDays[end]
      end += 1
    } while end < namesOfDays.count && pairs + namesOfDays[end] <= Self.mostSorted
    var found: [SortedEvent] = []
    found.reserveCapacity(pairs)
    events.forEach { event, count in
      let day = Int(event.day)
      guard day >= first, day < end else { return }
      found.append(
        SortedEvent(day: day, rank: Int(names.ranks[Int(event.name)]), count: count))
    }
    return (found.sorted { ($0.day, $0.rank) < ($1.day, $1.rank) }, end)
  }

  private mutating func line(_ fields: (inout JSONWriter) -> Void) {
    JSONWriter.line(to: &text, fields)
    lines += 1
  }

  /// Moves the text so far to the file.
  private mutating func append(to file: Target) throws(Failure) {
    try file(text.view, lines)
    text.removeAll()
    lines = 0
  }
}
