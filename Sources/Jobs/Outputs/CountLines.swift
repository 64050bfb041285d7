package import Pipeline
package import Stages

/// The lines of `event_counts.ndjson` and `event_counts.csv` (docs/reference/file-formats.md).
package struct EventCountLines: Sendable {
  private let totals: EventTotals
  private let names: NameList
  /// By number of the name: published profiles that have it; nil where no profiles were made.
  private let profiles: SnapshotTally?
  /// The names to write; nil for all.
  private var shown: Set<UInt32>?

  package init(_ totals: EventTotals, names: NameList, profiles: SnapshotTally?) {
    self.totals = totals
    self.names = names
    self.profiles = profiles
  }

  package var duplicates: Int { totals.duplicates }

  /// Numbers of the event names with events, in line order.
  package var order: [UInt32] {
    names.sorted.filter { totals.contains($0) && shown?.contains($0) ?? true }
  }

  /// The lines of the `most` names with the greatest counts; of equal ones the first.
  package func mostFrequent(_ most: Int) -> EventCountLines {
    var lines = self
    lines.shown = Set(order.mostFrequent(most) { totals[$0].count })
    return lines
  }

  /// The totals with their names and source names, in line order; for tables.
  package var rows: [(name: String, total: EventTotals.Total, sourceNames: SourceNames)] {
    order.map { (names[$0].text, totals[$0], totals.sourceNames(of: $0)) }
  }

  package func appendJSON(to out: inout ByteBuffer) {
    for name in order {
      let total = totals[name]
      JSONWriter.line(to: &out) { json in
        json.member("name", names[name])
        json.member("count", total.count)
        if !total.seen.isNever {
          json.member("first_seen", Timestamp.text(total.seen.first))
          json.member("last_seen", Timestamp.text(total.seen.last))
        }
        if let profiles { json.member("profiles", profiles.profiles(with: name)) }
        json.member("duplicates", total.duplicates)
        totals.writeDialects(name, to: &json)
        totals.sourceNames(of: name).writeField(to: &json)
      }
    }
  }

  /// Appends a table for a spreadsheet; names need no quotes, unknown times are empty.
  package func appendCSV(to out: inout ByteBuffer) {
    out.append("name,count,first_seen,last_seen,profiles,duplicates\n")
    for name in order {
      let total = totals[name]
      let times = [total.seen.first, total.seen.last].map {
        total.seen.isNever ? "" : Timestamp.text($0)
      }
      let counts = [profiles?.profiles(with: name) ?? 0, total.duplicates].map(String.init)
      let cells = [names[name].text, "\(total.count)"] + times + counts
      out.append(text: "\(cells.joined(separator: ","))\n")
    }
  }
}

/// Writes `daily_counts.ndjson` (docs/reference/file-formats.md): months and weeks come first, so
/// that a reader that infers columns from the first lines finds all.
struct DailyCountLines: ~Copyable {
  /// Bytes written at once.
  private static let pieceLength = 1 << 20

  /// Most pairs of a day and a name sorted at once, unless one day has more: 12 MB.
  private static let mostSorted = 1 << 19

  private let names: NameList
  private let active: ActivePeople
  /// The day from which on they are complete; 0 if they always were.
  private let start: Int
  /// By name and day.
  private let events: PackedDays
  /// Number of names with events, by day.
  private var namesOfDays: [Int]
  /// Events without a known day, by name.
  private let others: [(name: UInt32, count: Int)]
  private var text = ByteBuffer()
  private var lines = 0

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

  mutating func write(to file: PublishedCounts.Target) throws(Failure) {
    if start > 0 { line { [start] json in json.member("complete_from", DayNumber.text(start)) } }
    let months = active.counts(by: .months).map { ("month", DayNumber.text(month: $0.0), $0.1) }
    let weeks = active.counts(by: .weeks).map { ("week", DayNumber.text(week: $0.0), $0.1) }
    for (name, period, people) in months + weeks {
      line { json in
        json.member(name, period)
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
  private mutating func writeDays(to file: PublishedCounts.Target) throws(Failure) {
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

  private struct SortedEvent {
    let day: Int
    /// The index of the name among the sorted names.
    let rank: Int
    let count: Int
  }

  /// The events of the day `first` and of some following days, sorted, and the day after these.
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
      found.append(SortedEvent(day: day, rank: Int(names.ranks[Int(event.name)]), count: count))
    }
    return (found.sorted { ($0.day, $0.rank) < ($1.day, $1.rank) }, end)
  }

  private mutating func line(_ fields: (inout JSONWriter) -> Void) {
    JSONWriter.line(to: &text, fields)
    lines += 1
  }

  /// Moves the text so far to the file.
  private mutating func append(to file: PublishedCounts.Target) throws(Failure) {
    try file(text.view, lines)
    text.removeAll()
    lines = 0
  }
}
