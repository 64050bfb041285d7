package import Pipeline

/// The nights to make, and the one that the first of them continues from.
package struct NightPlan: Equatable, Sendable {
  /// The newest published night that is not after the requested one; nil before the first.
  package let previous: Day?
  package let missing: [Day]

  /// Most nights made at a time: ten years.
  static let most = 3660
  private static let doing = "finding the nights to make"

  /// Plans to make all nights up to `last`: those after the newest of the `published` ones, or from
  /// `first` on, when there are none; with nights, `first` must not be later. With `again`, that
  /// one and all later ones are made again.
  /// - Throws: `usage`, when there is nothing to continue from, or too much to make.
  package init(published: [Day], first: Day?, last: Day, again: Day? = nil) throws(Failure) {
    if let first {
      // Again and again, as in a file of settings, it does no harm.
      if let oldest = published.min(), oldest < first {
        throw Self.usage(
          "--from-night is for the first night of all, and \(oldest.text) is published",
          "leave --from-night out")
      }
      guard first <= last else {
        throw Self.usage("--from-night \(first.text) is after \(last.text)", "name an earlier day")
      }
    }
    previous = published.filter { day in day <= last && again.map { day < $0 } ?? true }.max()
    guard let start = again ?? previous?.advanced(by: 1) ?? first else {
      throw Self.usage(
        published.min().map {
          "the first night that is published is \($0.text), after \(last.text)"
        } ?? "no night is published yet",
        published.isEmpty
          ? "is its disk mounted? If there never was one, name the first day with --from-night"
          : "name a later day with --to-night")
    }
    let later = published.filter { $0 > last }.sorted()
    if let oldest = later.first {
      // Most likely a clock was wrong once, and these nights hold nothing.
      let others = later.count == 1 ? " is" : " and \(later.count - 1) later are"
      throw Self.usage(
        "\(oldest.text)\(others) published, but the newest night to make is \(last.text)",
        "check the clock, or --to-night; if it is right, move the later nights away: they are made "
          + "again when they are over")
    }
    let count = last.number - start.number + 1
    guard count <= Self.most else {
      throw Self.usage(
        "\(NumberFormat.count(count, "night is", "nights are")) missing; at most "
          + "\(NumberFormat.grouped(Self.most)) are made at a time",
        "name an earlier day with --to-night")
    }
    missing = (0..<max(0, count)).map { start.advanced(by: $0) }
  }

  private static func usage(_ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, why: why, advice: advice)
  }
}

/// A day in UTC, by which a night is named.
package struct Day: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  package let number: Int

  private static let milliseconds = 86_400_000

  /// The day of a time of the years 1 to 9999, in milliseconds since 1970.
  package init(of time: Int) {
    number =
      (time - Timestamp.earliest) / Self.milliseconds + Timestamp.earliest / Self.milliseconds
  }

  /// The day of a date as in ``text``; nil when it is invalid.
  init?(_ text: String) {
    let bytes = ByteBuffer(text: "\(text)T00:00:00Z")
    guard let time = Timestamp.parse(bytes.view) else { return nil }
    self.init(of: time)
  }

  private init(number: Int) { self.number = number }

  /// In milliseconds since 1970.
  package var start: Int { number * Self.milliseconds }
  package func advanced(by days: Int) -> Day { Day(number: number + days) }
  /// `2024-06-01`.
  package var text: String { String(Timestamp.text(start).prefix(10)) }

  /// The number of its week, which begins on Monday.
  var week: Int {
    // 1970-01-01 was a Thursday; one cycle of the calendar later, so that nothing is negative.
    (number + 3 + 7 * 146_097) / 7
  }

  var month: Substring { text.prefix(7) }
  package static func < (one: Day, other: Day) -> Bool { one.number < other.number }
}

/// The nights to keep (`--keep-daily`, `--keep-weekly`, `--keep-monthly`).
package struct Retention: Sendable, Equatable {
  /// Number of the newest nights to keep.
  package var daily = 0
  /// Number of weeks, of those with a night, to keep the newest night of.
  package var weekly = 0
  /// Number of months, of those with a night, to keep the newest night of.
  package var monthly = 0

  /// Those of `nights` that are kept: all of them when no number is given, and always the newest.
  /// Those in `empty`, which were made without logs, do not push out others. A night that expires
  /// once would also expire at any later time.
  package func kept(of nights: some Sequence<Day>, empty: Set<Day> = []) -> Set<Day> {
    let nights = Set(nights).sorted(by: >)
    if self == Retention() { return Set(nights) }
    var kept = Set(nights.prefix(max(1, daily)))
    kept.formUnion(Self.newest(weekly, of: nights, by: \.week))
    kept.formUnion(Self.newest(monthly, of: nights, by: \.month))
    if !empty.isEmpty { kept.formUnion(self.kept(of: nights.filter { !empty.contains($0) })) }
    return kept
  }

  /// The newest night of each of the first `count` periods; the newest nights come first.
  private static func newest<Period: Hashable>(
    _ count: Int, of nights: [Day], by period: (Day) -> Period
  ) -> [Day] {
    var periods: Set<Period> = []
    return Array(nights.filter { periods.insert(period($0)).inserted }.prefix(count))
  }
}
