/// The nights to keep (`--keep-daily`, `--keep-weekly`, `--keep-monthly`).
package struct Retention: Sendable, Equatable {
  /// Number of the newest nights to keep.
  package var daily = 0
  /// Number of weeks, of those with a night, to keep the newest night of.
  package var weekly = 0
  /// Number of months, of those with a night, to keep the newest night of.
  package var monthly = 0

  /// Those of `nights` that are kept: all of them when no number is given, and always the newest.
  /// Those in `empty`, which were made without logs, do not push out others.
  ///
  /// A night that expires once would also expire at any later time: the result does not depend on
  /// how often this is called.
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
