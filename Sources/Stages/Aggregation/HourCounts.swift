package import Pipeline

/// Events by hour of their event time, for the valid years (data-model 16), duplicates included;
/// none without a time. All hours of 100 years take 7 MiB.
package struct HourCounts: Sendable, Equatable {
  /// Events of an hour, by its number since 1970-01-01T00:00:00Z; at least one.
  package struct Hour: Sendable, Equatable {
    package let number: Int
    package let events: Int
    /// Its beginning, in milliseconds since 1970.
    package var start: Int { number * HourCounts.milliseconds }
  }

  package static let milliseconds = 3_600_000
  /// The valid hours of events.
  package static let range =
    Rules.earliestTime / milliseconds..<Rules.endOfTime / milliseconds

  private var counts = NumberCounts()

  /// No events.
  package init() {}

  /// Counts events at `time`, in milliseconds; traps for times that the validator rejects.
  package mutating func add(_ events: Int = 1, time: Int) {
    let hour = time / Self.milliseconds
    precondition(Self.range.contains(hour), "an event's time is in the years 2000 to 2099")
    counts.add(events, hour)
  }

  /// Counts the events among `operations` that have a time, consecutive ones of an hour together.
  mutating func add(eventsOf operations: [RoutedOperation]) {
    var start = 0
    var count = 0
    for operation in operations where operation.isEvent && operation.time != EventTime.absent {
      if UInt(bitPattern: operation.time &- start) >= UInt(Self.milliseconds) {
        if count > 0 { add(count, time: start) }
        start = operation.time - operation.time % Self.milliseconds
        count = 0
      }
      count += 1
    }
    if count > 0 { add(count, time: start) }
  }

  /// Adds the events of another shard, or of another part of the same run.
  package mutating func merge(_ other: HourCounts) { counts.merge(other.counts) }

  /// The hours with events, in order.
  package var hours: [Hour] { counts.pairs.map { Hour(number: $0.number, events: $0.count) } }

  package var events: Int { counts.pairs.reduce(0) { $0 + $1.count } }
}

// MARK: - As text

extension HourCounts: DocumentValue {
  package static var expected: String { "counts per hour" }

  /// Writes the counts: `[[hour,events],…]`, by hour.
  package func write(to json: inout JSONWriter) {
    CountPairs.write(counts.pairs, to: &json)
  }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> HourCounts {
    var hours = HourCounts()
    for (hour, events) in try CountPairs.read(value, numbers: range, &reading) {
      hours.counts.add(events, hour)
    }
    return hours
  }
}
