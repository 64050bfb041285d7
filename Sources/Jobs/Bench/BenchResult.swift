package import Pipeline

/// What a benchmark found.
package struct BenchResult: Sendable {
  /// What one subject took.
  package struct Entry: Sendable {
    package let subject: BenchSubject
    /// Log lines worked on, each time.
    package let records: Int
    /// Bytes of JSON worked on, each time.
    package let bytes: Int
    /// Seconds, each time.
    package let seconds: Samples
    /// Calls of the memory allocator in one run after the warm-up; nil if they cannot be counted.
    package let allocations: Int?

    /// Nanoseconds per record.
    package var perRecord: Samples { seconds.scaled(by: 1e9 / Double(max(records, 1))) }
    /// Records per second, by the median.
    package var recordRate: Double { Double(records) / max(seconds.median, 1e-9) }
    /// Bytes of JSON per second, by the median.
    package var byteRate: Double { Double(bytes) / max(seconds.median, 1e-9) }
    /// Allocations per record.
    package var allocationRate: Double? {
      allocations.map { Double($0) / Double(max(records, 1)) }
    }
  }

  /// In the order of ``BenchSubject``.
  package let entries: [Entry]
  /// What was no input, in the directories that were named; not among the figures.
  package var passedOver = PassedOver()

  package init(_ entries: [Entry]) { self.entries = entries }

  /// Seconds of all stages together, by the medians; nil when not all were measured.
  package var total: Double? {
    let stages = entries.filter { $0.subject.kind == .stage }
    guard stages.count == BenchSubject.allCases.count(where: { $0.kind == .stage }) else {
      return nil
    }
    return stages.reduce(0) { $0 + $1.seconds.median }
  }

  /// The part that `entry`, a stage or a part of one, has of all stages, in percent.
  package func share(of entry: Entry) -> Double? {
    entry.subject.kind == .job ? nil : total.map { 100 * entry.seconds.median / max($0, 1e-9) }
  }
}
