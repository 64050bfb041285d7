package import Pipeline

/// How one subject fares beside an earlier measurement.
package struct BenchComparison: Sendable {
  /// What the difference means.
  package enum Verdict: String, Sendable {
    case faster
    case slower
    /// No difference that noise would not explain.
    case same
  }

  /// Nanoseconds per record, then.
  package let before: Measurements
  /// Nanoseconds per record, now.
  package let now: Measurements
  /// Whether both worked on as many lines of as many bytes; otherwise the ratio says little.
  package let isSameWork: Bool

  /// Time now as a part of the time then, by the medians: below 1 is faster.
  package var ratio: Double { now.median / before.median }

  /// What the difference means.
  package var verdict: Verdict {
    guard now.differs(from: before) else { return .same }
    return now.median < before.median ? .faster : .slower
  }
}

extension BenchResult {
  /// `entry` beside `baseline`; nil when that did not measure it.
  package func comparison(of entry: Entry, with baseline: BenchBaseline) -> BenchComparison? {
    baseline[entry.subject].map {
      BenchComparison(
        before: $0.perRecord, now: entry.perRecord,
        isSameWork: $0.records == entry.records && $0.bytes == entry.bytes)
    }
  }
}
