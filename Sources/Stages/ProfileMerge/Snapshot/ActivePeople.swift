package import Pipeline

/// Number of published profiles with an event on each day, in each week and month, and on each day
/// by first day (data-model 12.2).
///
/// Sums only, of whole profiles: when one is replaced, its counts are subtracted. So counts of
/// lanes and partitions add up in any order. They take at most about 120 MB, for events in a
/// hundred years.
package struct ActivePeople: Sendable, Equatable {
  /// The periods of active people, in the order of the words.
  package enum Period: String, CaseIterable {
    case days
    case months
    case weeks
  }

  /// Days after the first day of a profile for which cohorts are counted: until the same day of the
  /// next year, and a month more.
  package static let cohortDays = 400

  /// By day of ``covered``.
  private var days: [Int] = []
  /// By first day in ``covered``, then by days since then, up to the last activity.
  private var cohorts: [[Int]] = []
  /// The days with capacity, in whole pages: all counts are in few of them.
  private var covered = 0..<0
  /// By number, from the first valid one on; empty until the first count.
  private var weeks: [Int] = []
  private var months: [Int] = []
  /// The month that was counted last, and its days: most counts are for the same.
  private var month = (number: 0, days: 0..<0)

  /// Days of a page.
  private static let pageSize = 64
  private static let weekRange =
    DayNumber.week(of: DayNumber.range.lowerBound)..<DayNumber.week(
      of: DayNumber.range.upperBound - 1) + 1
  private static let monthRange =
    DayNumber.month(of: DayNumber.range.lowerBound)..<DayNumber.month(
      of: DayNumber.range.upperBound - 1) + 1

  /// The valid numbers of a period.
  package static func numbers(by period: Period) -> Range<Int> {
    switch period {
    case .days: DayNumber.range
    case .months: monthRange
    case .weeks: weekRange
    }
  }

  /// The days for which people first seen on the day `first` are counted.
  package static func days(ofCohort first: Int) -> Range<Int> {
    first..<min(first + cohortDays, DayNumber.range.upperBound)
  }

  /// No people.
  package init() {}

  /// Counts `people` profiles with these days, or subtracts them if negative. Complexity: O(days).
  package mutating func add(_ people: Int, _ set: borrowing DaySet) {
    if set.isEmpty { return }
    let first = DayNumber.of(set.first)
    makeRoom(for: first)
    // Taken out, so that it is looked up once.
    var counts: [Int] = []
    swap(&counts, &cohorts[first - covered.lowerBound])
    var (endOfWeek, lastMonth) = (0, -1)
    for day in set.days {
      if day >= covered.upperBound { makeRoom(for: day) }
      days[day - covered.lowerBound] += people
      if day >= endOfWeek {
        let week = DayNumber.week(of: day)
        weeks[week - Self.weekRange.lowerBound] += people
        endOfWeek = DayNumber.firstDay(ofWeek: week + 1)
      }
      if !month.days.contains(day) { turn(toMonthOf: day) }
      if month.number != lastMonth { months[month.number - Self.monthRange.lowerBound] += people }
      lastMonth = month.number
      let since = day - first
      if since < Self.cohortDays { Self.add(people, since, to: &counts) }
    }
    swap(&counts, &cohorts[first - covered.lowerBound])
  }

  private mutating func turn(toMonthOf day: Int) {
    month.number = DayNumber.month(of: day)
    month.days =
      DayNumber.firstDay(ofMonth: month.number)..<DayNumber.firstDay(ofMonth: month.number + 1)
  }

  /// Counts people by a period, one of ``numbers(by:)``.
  package mutating func add(_ people: Int, by period: Period, _ number: Int) {
    if period == .days { makeRoom(for: number) } else if weeks.isEmpty { makeRoomForPeriods() }
    switch period {
    case .days: days[number - covered.lowerBound] += people
    case .months: months[number - Self.monthRange.lowerBound] += people
    case .weeks: weeks[number - Self.weekRange.lowerBound] += people
    }
  }

  /// Counts people first seen on the day `first`, on one of ``days(ofCohort:)``.
  package mutating func add(_ people: Int, firstDay first: Int, _ day: Int) {
    makeRoom(for: first)
    add(people, first - covered.lowerBound, day - first)
  }

  private mutating func add(_ people: Int, _ cohort: Int, _ since: Int) {
    Self.add(people, since, to: &cohorts[cohort])
  }

  private static func add(_ people: Int, _ since: Int, to counts: inout [Int]) {
    if since >= counts.count { counts += repeatElement(0, count: since + 1 - counts.count) }
    counts[since] += people
  }

  /// Adds the page of a day.
  private mutating func makeRoom(for day: Int) {
    if covered.contains(day) { return }
    if weeks.isEmpty { makeRoomForPeriods() }
    let start = day / Self.pageSize * Self.pageSize
    if covered.isEmpty { covered = start..<start }
    let all = min(covered.lowerBound, start)..<max(covered.upperBound, start + Self.pageSize)
    let (before, behind) = (
      covered.lowerBound - all.lowerBound, all.upperBound - covered.upperBound
    )
    days.insert(contentsOf: repeatElement(0, count: before), at: 0)
    days.append(contentsOf: repeatElement(0, count: behind))
    cohorts.insert(contentsOf: repeatElement([], count: before), at: 0)
    cohorts.append(contentsOf: repeatElement([], count: behind))
    covered = all
  }

  private mutating func makeRoomForPeriods() {
    weeks = Array(repeating: 0, count: Self.weekRange.count)
    months = Array(repeating: 0, count: Self.monthRange.count)
  }

  /// Adds the counts of another range of keys.
  package mutating func merge(_ other: ActivePeople) {
    if weeks.isEmpty { return self = other }
    for index in other.weeks.indices { weeks[index] += other.weeks[index] }
    for index in other.months.indices { months[index] += other.months[index] }
    guard let last = other.covered.last else { return }
    makeRoom(for: other.covered.lowerBound)
    makeRoom(for: last)
    let start = other.covered.lowerBound - covered.lowerBound
    for index in other.days.indices { days[start + index] += other.days[index] }
    for (cohort, counts) in other.cohorts.enumerated() {
      for (since, people) in counts.enumerated() where people != 0 {
        add(people, start + cohort, since)
      }
    }
  }

  // MARK: - Counts

  /// The days, weeks or months with active people, by number (``DayNumber``), and how many.
  package func counts(by period: Period) -> [CountPairs.Pair] {
    switch period {
    case .days: Self.pairs(days, from: covered.lowerBound)
    case .months: Self.pairs(months, from: Self.monthRange.lowerBound)
    case .weeks: Self.pairs(weeks, from: Self.weekRange.lowerBound)
    }
  }

  /// The first days of people, in order, with the number of active people on each later day.
  package var cohortCounts: [(first: Int, active: [CountPairs.Pair])] {
    cohorts.enumerated().compactMap { cohort, counts in
      let first = cohort + covered.lowerBound
      let active = Self.pairs(counts, from: first)
      return active.isEmpty ? nil : (first, active)
    }
  }

  private static func pairs(_ counts: [Int], from first: Int) -> [CountPairs.Pair] {
    var pairs: [CountPairs.Pair] = []
    for (index, count) in counts.enumerated() where count != 0 {
      pairs.append((first + index, count))
    }
    return pairs
  }

  /// Whether all counts are equal.
  package static func == (one: Self, other: Self) -> Bool {
    Period.allCases.allSatisfy {
      one.counts(by: $0).elementsEqual(other.counts(by: $0), by: ==)
    }
      && one.cohortCounts.elementsEqual(other.cohortCounts) {
        $0.first == $1.first && $0.active.elementsEqual($1.active, by: ==)
      }
  }
}

// MARK: - As text

extension ActivePeople: DocumentValue {
  /// The greatest credible count: far more than there are people, and sums of many parts still fit.
  private static let mostPeople = 1 << 48

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

  /// Reads those of a part, whose counts may be negative.
  package static func read(
    _ object: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> ActivePeople {
    var people = ActivePeople()
    let periods = Dictionary(object.members, uniquingKeysWith: { $1 })
    let isSound =
      Period.allCases.allSatisfy { period in
        guard let (tape, index) = periods[period.rawValue]?.node else { return false }
        return people.read(tape, at: index, by: period, isDifference: true)
      }
      && (object["cohorts"]?.members ?? []).allSatisfy { name, value in
        let (tape, index) = value.node
        return Int(name).map { people.read(tape, at: index, firstDay: $0, isDifference: true) }
          ?? false
      }
    guard isSound else { throw .isNot(expected) }
    return people
  }

  /// Adds the counts by a period at `index` of `tape`; false when they are invalid. Those of a part
  /// may be negative, if `isDifference`.
  package mutating func read(
    _ tape: Tape, at index: Int, by period: Period, isDifference: Bool = false
  ) -> Bool {
    guard let pairs = Self.pairs(tape, index, Self.numbers(by: period), isDifference) else {
      return false
    }
    for (number, people) in pairs { add(people, by: period, number) }
    return true
  }

  /// The same for people who were first seen on the day `first`.
  package mutating func read(
    _ tape: Tape, at index: Int, firstDay first: Int, isDifference: Bool = false
  ) -> Bool {
    guard DayNumber.range.contains(first),
      let pairs = Self.pairs(tape, index, Self.days(ofCohort: first), isDifference)
    else { return false }
    for (day, people) in pairs { add(people, firstDay: first, day) }
    return true
  }

  private static func pairs(
    _ tape: Tape, _ index: Int, _ numbers: Range<Int>, _ isDifference: Bool
  ) -> [CountPairs.Pair]? {
    CountPairs.read(
      tape, at: index, numbers: numbers, counts: (isDifference ? -mostPeople : 1)...mostPeople)
  }
}
