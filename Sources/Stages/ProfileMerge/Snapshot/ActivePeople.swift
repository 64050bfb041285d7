package import Pipeline

/// How many published profiles had an event on each day, in each week and month, and on each day
/// those first seen on another (data-model 12.2).
///
/// Sums only, of profiles as a whole: where one is replaced, what was counted of it is taken back.
/// Figures of lanes and partitions so add up in any order. All together take at most about 120 MB,
/// if events lie in each of a hundred years.
package struct ActivePeople: Sendable, Equatable {
  /// What active people are counted by, in the order of the words.
  package enum Period: String, CaseIterable {
    case days
    case months
    case weeks
  }

  /// Days from the first day of a profile on for which people of one first day are counted: until
  /// the same day of the next year, and a month more.
  package static let cohortDays = 400

  /// By number, from the first on that there can be; empty as long as nobody was counted.
  private var days: [Int] = []
  private var weeks: [Int] = []
  private var months: [Int] = []
  /// By first day, then by days since then, as far as anybody was active.
  private var cohorts: [[Int]] = []

  private static let weekRange =
    DayNumber.week(of: DayNumber.range.lowerBound)..<DayNumber.week(
      of: DayNumber.range.upperBound - 1) + 1
  private static let monthRange =
    DayNumber.month(of: DayNumber.range.lowerBound)..<DayNumber.month(
      of: DayNumber.range.upperBound - 1) + 1
  /// By day: the month, from the first on.
  private static let monthOfDay = DayNumber.range.map {
    UInt16(DayNumber.month(of: $0) - monthRange.lowerBound)
  }

  /// The numbers that there may be of a period.
  package static func numbers(by period: Period) -> Range<Int> {
    switch period {
    case .days: DayNumber.range
    case .months: monthRange
    case .weeks: weekRange
    }
  }

  /// The days for which people are counted who were first seen on the day `first`.
  package static func days(ofCohort first: Int) -> Range<Int> {
    first..<min(first + cohortDays, DayNumber.range.upperBound)
  }

  /// Nobody.
  package init() {}

  /// Counts so many profiles with these days, or takes them back. Complexity: O(days).
  package mutating func add(_ people: Int, _ set: borrowing DaySet) {
    guard let first = set.days.first else { return }
    if days.isEmpty { makeRoom() }
    let cohort = Int(first) - DayNumber.range.lowerBound
    let firstWeek = Self.weekRange.lowerBound
    let monthOfDay = Self.monthOfDay
    var (lastWeek, lastMonth) = (-1, -1)
    for number in set.days {
      let day = Int(number) - DayNumber.range.lowerBound
      days[day] += people
      let (week, month) = (DayNumber.week(of: Int(number)) - firstWeek, Int(monthOfDay[day]))
      if week != lastWeek { weeks[week] += people }
      if month != lastMonth { months[month] += people }
      (lastWeek, lastMonth) = (week, month)
      if day - cohort < Self.cohortDays { add(people, cohort, day - cohort) }
    }
  }

  /// Counts people by a period, one of ``numbers(by:)``.
  package mutating func add(_ people: Int, by period: Period, _ number: Int) {
    if days.isEmpty { makeRoom() }
    let index = number - Self.numbers(by: period).lowerBound
    switch period {
    case .days: days[index] += people
    case .months: months[index] += people
    case .weeks: weeks[index] += people
    }
  }

  /// Counts people first seen on the day `first`, on one of ``days(ofCohort:)``.
  package mutating func add(_ people: Int, firstDay first: Int, _ day: Int) {
    if days.isEmpty { makeRoom() }
    add(people, first - DayNumber.range.lowerBound, day - first)
  }

  private mutating func add(_ people: Int, _ cohort: Int, _ since: Int) {
    if since >= cohorts[cohort].count {
      cohorts[cohort] += repeatElement(0, count: since + 1 - cohorts[cohort].count)
    }
    cohorts[cohort][since] += people
  }

  private mutating func makeRoom() {
    days = Array(repeating: 0, count: DayNumber.range.count)
    weeks = Array(repeating: 0, count: Self.weekRange.count)
    months = Array(repeating: 0, count: Self.monthRange.count)
    cohorts = Array(repeating: [], count: DayNumber.range.count)
  }

  /// Takes in the figures of another range of keys.
  package mutating func merge(_ other: ActivePeople) {
    if other.days.isEmpty { return }
    if days.isEmpty { return self = other }
    for index in days.indices { days[index] += other.days[index] }
    for index in weeks.indices { weeks[index] += other.weeks[index] }
    for index in months.indices { months[index] += other.months[index] }
    for (cohort, counts) in other.cohorts.enumerated() {
      for (since, people) in counts.enumerated() where people != 0 { add(people, cohort, since) }
    }
  }

  // MARK: - Figures

  /// The days, weeks or months in which anybody was active, by their numbers (``DayNumber``), with
  /// how many people.
  package func counts(by period: Period) -> [CountPairs.Pair] {
    let counts =
      switch period {
      case .days: days
      case .months: months
      case .weeks: weeks
      }
    return Self.pairs(counts, from: Self.numbers(by: period).lowerBound)
  }

  /// The first days of people, in order, with the days on which how many of these were active.
  package var cohortCounts: [(first: Int, active: [CountPairs.Pair])] {
    cohorts.enumerated().compactMap { cohort, counts in
      let first = cohort + DayNumber.range.lowerBound
      let active = Self.pairs(counts, from: first)
      return active.isEmpty ? nil : (first, active)
    }
  }

  private static func pairs(_ counts: [Int], from first: Int) -> [CountPairs.Pair] {
    counts.enumerated().compactMap { $0.element == 0 ? nil : (first + $0.offset, $0.element) }
  }

  /// Equal when all figures are.
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

extension ActivePeople {
  /// Most people of a figure: far more than there are, and sums of those of many parts still fit.
  private static let mostPeople = 1 << 48

  /// Writes all figures as the member `key` of the object that is open.
  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.object(key) { json in
      for period in Period.allCases {
        CountPairs.write(counts(by: period), named: period.rawValue, to: &json)
      }
      json.object("cohorts") { json in
        for (first, active) in cohortCounts {
          CountPairs.write(active, named: "\(first)", to: &json)
        }
      }
    }
  }

  /// Takes in what ``write(_:to:)`` has written of a part, of which figures may be below zero;
  /// false when it is anything else.
  package mutating func read(differences object: JSONValue) -> Bool {
    for period in Period.allCases {
      let value = object.members.first { $0.name == period.rawValue }?.value
      guard let (tape, index) = value?.node,
        read(tape, at: index, by: period, isDifference: true)
      else { return false }
    }
    return (object["cohorts"]?.members ?? []).allSatisfy { name, value in
      let (tape, index) = value.node
      return Int(name).map { read(tape, at: index, firstDay: $0, isDifference: true) } ?? false
    }
  }

  /// Takes in figures by a period that stand at `index` of `tape`; false when they are none. Those
  /// of a part may be below zero, `isDifference`.
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
