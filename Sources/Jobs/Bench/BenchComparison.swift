package import Pipeline

/// One subject compared with an earlier measurement.
package struct BenchComparison: Sendable {
  /// The meaning of the difference.
  package enum Verdict: String, Sendable {
    case faster
    case slower
    /// No difference beyond noise.
    case same
  }

  /// Nanoseconds per record of the baseline.
  package let before: Measurements
  /// Nanoseconds per record now.
  package let now: Measurements
  /// Whether both processed as many lines and bytes; otherwise the ratio means little.
  package let isSameWork: Bool

  /// The ratio of the medians, now to before: below 1 is faster.
  package var ratio: Double { now.median / before.median }

  /// The meaning of the difference.
  package var verdict: Verdict {
    guard now.differs(from: before) else { return .same }
    return now.median < before.median ? .faster : .slower
  }
}

extension BenchResult {
  /// The comparison of `entry` with `baseline`; nil when that did not measure it.
  package func comparison(of entry: Entry, with baseline: BenchBaseline) -> BenchComparison? {
    baseline[entry.subject].map {
      BenchComparison(
        before: $0.perRecord, now: entry.perRecord,
        isSameWork: $0.records == entry.records && $0.bytes == entry.bytes)
    }
  }
}
