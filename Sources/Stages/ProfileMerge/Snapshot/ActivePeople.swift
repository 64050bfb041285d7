package import Pipeline

/// Number of published profiles with an event on each day, in each week and month, and on each day
/// by first day (data-model 12.2).
///
/// Sums only, of whole profiles: when one is replaced, its counts are subtracted. So counts of
/// lanes and partitions add up in any order. They take at most about 140 MB, for events in a
/// hundred years.
package struct ActivePeople: Sendable, Equatable {
  package enum Period: String, CaseIterable {
    case days
    case months
    case weeks
  }

  /// Days after the first day of a profile for which cohorts are counted: until the same day of the
  /// next year, and a month more.
  package static let cohortDays = 400

  private var (days, months, weeks) = (NumberCounts(), NumberCounts(), NumberCounts())
  /// By first day.
  private var cohorts: [Int: NumberCounts] = [:]
  /// The month that was counted last, and its days: most counts are for the same.
  private var month = (number: 0, days: 0..<0)

  /// The valid numbers of a period.
  package static func numbers(by period: Period) -> Range<Int> {
    let (first, last) = (DayNumber.range.lowerBound, DayNumber.range.upperBound - 1)
    return switch period {
    case .days: first..<last + 1
    case .months: DayNumber.month(of: first)..<DayNumber.month(of: last) + 1
    case .weeks: DayNumber.week(of: first)..<DayNumber.week(of: last) + 1
    }
  }

  /// The days for which people first seen on the day `first` are counted.
  package static func days(ofCohort first: Int) -> Range<Int> {
    first..<min(first + cohortDays, DayNumber.range.upperBound)
  }

  package init() {}

  /// Counts `people` profiles with these days, or subtracts them if negative. Complexity: O(days).
  package mutating func add(_ people: Int, _ set: borrowing DaySet) {
    guard let first = set.days.first else { return }
    var (endOfWeek, lastMonth) = (0, -1)
    for day in set.days {
      days.add(people, day)
      if day >= endOfWeek {
        let week = DayNumber.week(of: day)
        weeks.add(people, week)
        endOfWeek = DayNumber.firstDay(ofWeek: week + 1)
      }
      if !month.days.contains(day) { turn(toMonthOf: day) }
      if month.number != lastMonth { months.add(people, month.number) }
      lastMonth = month.number
    }
    let cohort = set.days.prefix { $0 < first + Self.cohortDays }
    cohorts[first, default: NumberCounts()].add(people, cohort)
  }

  private mutating func turn(toMonthOf day: Int) {
    month.number = DayNumber.month(of: day)
    month.days =
      DayNumber.firstDay(ofMonth: month.number)..<DayNumber.firstDay(ofMonth: month.number + 1)
  }

  package mutating func merge(_ other: ActivePeople) {
    days.merge(other.days)
    months.merge(other.months)
    weeks.merge(other.weeks)
    for (first, counts) in other.cohorts { cohorts[first, default: NumberCounts()].merge(counts) }
  }

  /// The days, weeks or months with active people, by number (``DayNumber``), and how many.
  package func counts(by period: Period) -> [CountPairs.Pair] {
    self[keyPath: Self.path(period)].pairs
  }

  private static func path(_ period: Period) -> WritableKeyPath<ActivePeople, NumberCounts> {
    switch period {
    case .days: \.days
    case .months: \.months
    case .weeks: \.weeks
    }
  }

  /// The first days of people, in order, with the number of active people on each later day.
  package var cohortCounts: [(first: Int, active: [CountPairs.Pair])] {
    cohorts.map { ($0.key, $0.value.pairs) }.filter { !$0.1.isEmpty }.sorted { $0.0 < $1.0 }
  }

  package static func == (one: Self, other: Self) -> Bool {
    Period.allCases.map(path).allSatisfy { one[keyPath: $0] == other[keyPath: $0] }
      && one.cohortCounts.elementsEqual(other.cohortCounts) {
        $0.first == $1.first && $0.active.elementsEqual($1.active, by: ==)
      }
  }
}

// MARK: - As text

extension ActivePeople: DocumentValue {
  package static var expected: String { "active people per day, week and month" }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      for period in Period.allCases {
        json.key(period.rawValue)
        CountPairs.write(counts(by: period), to: &json)
      }
      json.object("cohorts") { json in
        for (first, active) in cohortCounts {
          json.key("\(first)")
          CountPairs.write(active, to: &json)
        }
      }
    }
  }

  package static func read(
    _ object: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> ActivePeople {
    var people = ActivePeople()
    let periods = Dictionary(object.members, uniquingKeysWith: { $1 })
    let isSound =
      Period.allCases.allSatisfy { period in
        guard let (tape, index) = periods[period.rawValue]?.node else { return false }
        return people.read(tape, at: index, by: period, isDifference: true, &reading)
      }
      && (object["cohorts"]?.members ?? []).allSatisfy { name, value in
        guard let first = Int(name), "\(first)" == name else { return false }
        let (tape, index) = value.node
        return people.read(tape, at: index, firstDay: first, isDifference: true, &reading)
      }
    guard isSound else { throw .isNot(expected) }
    return people
  }

  /// Adds the counts by a period at `index` of `tape`; false when they are invalid. Those of a part
  /// may be negative, if `isDifference`.
  package mutating func read(
    _ tape: Tape, at index: Int, by period: Period, isDifference: Bool = false,
    _ reading: inout DocumentReading
  ) -> Bool {
    Self.read(
      tape, index, Self.numbers(by: period), isDifference, &reading,
      into: &self[keyPath: Self.path(period)])
  }

  /// The same for people who were first seen on the day `first`.
  package mutating func read(
    _ tape: Tape, at index: Int, firstDay first: Int, isDifference: Bool = false,
    _ reading: inout DocumentReading
  ) -> Bool {
    DayNumber.range.contains(first)
      && Self.read(
        tape, index, Self.days(ofCohort: first), isDifference, &reading,
        into: &cohorts[first, default: NumberCounts()])
  }

  private static func read(
    _ tape: Tape, _ index: Int, _ numbers: Range<Int>, _ isDifference: Bool,
    _ reading: inout DocumentReading, into counts: inout NumberCounts
  ) -> Bool {
    let pairs = CountPairs.read(
      tape, at: index, numbers: numbers, isDifference: isDifference, &reading)
    for (number, people) in pairs ?? [] { counts.add(people, number) }
    return pairs != nil
  }
}
