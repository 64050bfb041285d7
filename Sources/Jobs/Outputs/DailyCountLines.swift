import Pipeline
import Stages

/// Writes `daily_counts.ndjson` (docs/reference/file-formats.md).
///
/// Months and weeks come first, then days, so that every kind of line is among the first ones: a
/// reader that infers columns from these finds all.
struct DailyCountLines: ~Copyable {
  /// Bytes written at once.
  private static let pieceLength = 1 << 20

  private let names: NameList
  private let active: ActivePeople
  /// The day from which on they are complete; 0 if they always were.
  private let start: Int
  /// By day, then by name: number of events.
  private let events: [(event: EventDay, count: Int)]
  /// Events without a known day, by name.
  private let others: [(name: UInt32, count: Int)]
  private var text = ByteBuffer()
  private var lines = 0

  /// Lines for the events in `totals` and for `active` people, complete from the day `start` on.
  init(_ totals: EventTotals, _ names: NameList, _ active: ActivePeople, from start: Int) {
    (self.names, self.active, self.start) = (names, active, start)
    events = totals.days.counted.sorted {
      ($0.event.day, names.ranks[Int($0.event.name)])
        < ($1.event.day, names.ranks[Int($1.event.name)])
    }
    var known: [UInt32: Int] = [:]
    for (event, count) in events { known[event.name, default: 0] += count }
    others = names.sorted.compactMap { name in
      let count = totals[name].count - (known[name] ?? 0)
      return count > 0 ? (name, count) : nil
    }
  }

  /// Writes the lines into `file`, and finishes it.
  ///
  /// - Throws: `io`.
  mutating func write(to file: OutputFile) throws(Failure) {
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
    _ = try file.finish()
  }

  /// Writes the lines of each day: active people, those of each first day, events.
  private mutating func writeDays(to file: OutputFile) throws(Failure) {
    let active = Dictionary(uniqueKeysWithValues: active.counts(by: .days).map { ($0, $1) })
    var cohorts: [Int: [(first: Int, people: Int)]] = [:]
    for (first, days) in self.active.cohortCounts {
      for (day, people) in days { cohorts[day, default: []].append((first, people)) }
    }
    let (names, events) = (names, events)
    var next = 0
    for day in Set(active.keys).union(events.map { Int($0.event.day) }).sorted() {
      let text = DayNumber.text(day)
      let people = cohorts[day] ?? []
      line { json in
        json.member("day", text)
        json.member("active", active[day] ?? 0)
        json.member("new", people.last { $0.first == day }?.people ?? 0)
      }
      for (first, people) in people {
        line { json in
          json.member("day", text)
          json.member("first", DayNumber.text(first))
          json.member("active", people)
        }
      }
      while next < events.count, Int(events[next].event.day) == day {
        let (event, count) = events[next]
        next += 1
        line { json in
          json.member("day", text)
          json.member("event", names[event.name])
          json.member("count", count)
        }
        if self.text.count >= Self.pieceLength { try append(to: file) }
      }
    }
  }

  private mutating func line(_ fields: (inout JSONWriter) -> Void) {
    JSONWriter.line(to: &text, fields)
    lines += 1
  }

  /// Moves the text so far to the file.
  private mutating func append(to file: OutputFile) throws(Failure) {
    try file.append(text.view, lines: lines)
    text.removeAll()
    lines = 0
  }
}
