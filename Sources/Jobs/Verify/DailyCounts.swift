import Pipeline
import Stages

/// Counts by day, from `daily_counts.ndjson` or the totals of a state.
struct DailyCounts {
  private static let file = RunFiles.dailyCounts
  /// Longest line that is read, in bytes.
  private static let longestLine = 4096

  /// The day from which on the counts are complete; 0 if they always were.
  var start = 0
  private(set) var active = ActivePeople()
  /// By event name.
  private var events: [String: Events] = [:]
  /// New people, by day.
  private var new: [Int: Int] = [:]

  /// The events of a name, possibly of very many days.
  private struct Events {
    /// All of them.
    var count = 0
    /// The sum of a hash per known day, in any order.
    var hash: UInt64 = 0

    /// Adds the events of a day; 0 if it is unknown.
    mutating func add(_ day: Int, _ count: Int) {
      self.count &+= count
      if day == 0 { return }
      var text = ByteBuffer(capacity: 32)
      text.append(text: "\(day) \(count)")
      hash &+= XXH64.hash(text.view)
    }
  }

  /// Adds the counts of another lane.
  mutating func merge(_ other: DailyCounts) {
    start = max(start, other.start)
    active.merge(other.active)
    events.merge(other.events) { first, _ in first }
  }
}

// MARK: - The totals of a state

extension DailyCounts {
  /// Adds active people by a period; false when they are invalid.
  mutating func take(period name: ByteView, _ people: Int?, _ tape: Tape) -> Bool {
    guard let period = ActivePeople.Period(rawValue: name.text), let people else { return false }
    return active.read(tape, at: people, by: period)
  }

  /// Adds active people of one first day; false when they are invalid.
  mutating func take(firstDay name: ByteView, _ people: Int?, _ tape: Tape) -> Bool {
    guard let first = DayNumber.parse(name), let people else { return false }
    return active.read(tape, at: people, firstDay: first)
  }

  /// Adds the days of an event name; false when they are invalid.
  mutating func take(event name: ByteView, _ days: Int?, _ tape: Tape) -> Bool {
    guard let days else { return true }
    guard
      let pairs = CountPairs.read(
        tape, at: days, numbers: DayNumber.range, counts: 1...FrameLayout.maximumCount)
    else { return false }
    var events = Events()
    for (day, count) in pairs { events.add(day, count) }
    self.events[name.text] = events
    return true
  }
}

// MARK: - daily_counts.ndjson

extension DailyCounts {
  private static let months = numbers(.months) { DayNumber.text(month: $0) }
  private static let weeks = numbers(.weeks) { DayNumber.text(week: $0) }

  private static func numbers(
    _ period: ActivePeople.Period, _ text: (Int) -> String
  ) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: ActivePeople.numbers(by: period).map { (text($0), $0) })
  }

  /// Reads and checks `daily_counts.ndjson`.
  ///
  /// - Throws: `io` when it cannot be read.
  mutating func read(
    in output: String, problems: inout ProblemList
  ) throws(Failure) -> PlainFile {
    let tape = Tape(numbersNames: false)
    var last: String?
    return try PlainFile(output, Self.file, longestLine: Self.longestLine) { line, number in
      func add(_ code: ProblemCode) {
        problems.add(VerifyProblem(file: Self.file, line: number, finding: Finding(code)))
      }
      tape.bind(to: line)
      guard UTF8Check.isValid(line),
        case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
        tape[root].kind == .object, let key = take(root, of: tape)
      else { return add(.badDailyCount) }
      if let last, !last.utf8.lexicographicallyPrecedes(key.utf8) {
        add(last == key ? .repeatedKey : .outOfOrder)
      }
      last = key
    }
  }

  /// Adds a line, and returns the key by which lines are sorted; nil when it is invalid.
  private mutating func take(_ root: Int, of tape: Tape) -> String? {
    var fields: [String: Int] = [:]
    tape.forEachMember(of: root) { fields[tape.bytes(at: $0).text] = $0 + 1 }
    func text(_ name: String) -> ByteView? { tape.string(at: fields[name]) }
    func date(_ name: String) -> Int? { text(name).flatMap { DayNumber.parse($0) } }
    func count(_ name: String) -> Int? { tape.count(at: fields[name]) }
    switch fields.keys.sorted() {
    case ["complete_from"]:
      guard
        let day = text("complete_from").flatMap({ DayNumber.parse($0, in: DayNumber.starts) })
      else { return nil }
      start = day
      return "0"
    case ["active", "month"]:
      return take(text("month"), Self.months, by: .months, count("active")).map { "1 \($0)" }
    case ["active", "week"]:
      return take(text("week"), Self.weeks, by: .weeks, count("active")).map { "2 \($0)" }
    case ["active", "day", "new"]:
      guard let day = date("day"), let people = count("active"),
        let first = count("new"), first <= people
      else { return nil }
      active.add(people, by: .days, day)
      if first > 0 { new[day] = first }
      return "3 \(day) 1"
    case ["active", "day", "first"]:
      guard let day = date("day"), let people = count("active"),
        people > 0,
        let first = date("first"),
        ActivePeople.days(ofCohort: first).contains(day)
      else { return nil }
      active.add(people, firstDay: first, day)
      return "3 \(day) 2 \(first)"
    case ["count", "day", "event"]:
      guard let day = date("day") else { return nil }
      return take(event: text("event"), day, count("count")).map { "3 \(day) 3 \($0)" }
    case ["count", "event"]: return take(event: text("event"), 0, count("count")).map { "4 \($0)" }
    default: return nil
    }
  }

  private mutating func take(
    _ text: ByteView?, _ numbers: [String: Int], by period: ActivePeople.Period, _ people: Int?
  ) -> String? {
    guard let text = text?.text, let number = numbers[text], let people, people > 0 else {
      return nil
    }
    active.add(people, by: period, number)
    return text
  }

  private mutating func take(event name: ByteView?, _ day: Int, _ count: Int?) -> String? {
    guard let name, let count, count > 0 else { return nil }
    events[name.text, default: Events()].add(day, count)
    return name.text
  }
}

// MARK: - Comparing

extension DailyCounts {
  /// Compares the file with the state, and with the counts of events.
  func compare(
    with state: DailyCounts, _ counts: EventCounts, _ problems: inout ProblemList
  ) {
    if start != state.start { problems.add(Self.file, .otherStart) }
    compare(state.active, with: .otherPeople, in: Self.file, &problems)
    let first = active.cohortCounts.compactMap { first, active in
      active.first.flatMap { $0.number == first ? $0 : nil }
    }
    let found = Dictionary(uniqueKeysWithValues: first.map { ($0.number, $0.count) })
    for day in Set(new.keys).union(found.keys).sorted() where new[day] != found[day] {
      problems.add(Self.file, .otherNewPeople, DayNumber.text(day), new[day] ?? 0, found[day] ?? 0)
    }
    for name in Set(events.keys).union(counts.names).sorted() {
      let found = events[name] ?? Events()
      let count = counts.counts[name]?.count ?? 0
      if found.count != count {
        problems.add(Self.file, .otherDailyEvents, name, found.count, count)
      }
      if found.hash != state.events[name]?.hash ?? 0 {
        problems.add(Self.file, .otherEventDays, name)
      }
    }
  }

  /// Compares the active people of the totals of a state with those of others.
  func compare(
    _ others: ActivePeople, with code: ProblemCode, _ problems: inout ProblemList
  ) {
    compare(others, with: code, in: RunFiles.totals, &problems)
  }

  private func compare(
    _ others: ActivePeople, with code: ProblemCode, in file: String, _ problems: inout ProblemList
  ) {
    for period in ActivePeople.Period.allCases
    where !active.counts(by: period).elementsEqual(others.counts(by: period), by: ==) {
      problems.add(file, code, period.rawValue)
    }
    let isSame = active.cohortCounts.elementsEqual(others.cohortCounts) {
      $0.first == $1.first && $0.active.elementsEqual($1.active, by: ==)
    }
    if !isSame { problems.add(file, code, "first day") }
  }
}
