package import Pipeline

/// Events by hour of their event time, for the valid years (data-model 16).
///
/// Stored in pages of 1024 hours, created by their first event: all pages (100 years) take 7 MiB.
/// Sums only, so counts can be merged in any order.
package struct HourCounts: Sendable, Equatable {
  /// Events of an hour, by its number since 1970-01-01T00:00:00Z; at least one.
  package struct Hour: Sendable, Equatable {
    package let number: Int
    package let events: Int
  }

  package static let milliseconds = 3_600_000
  /// The valid hours of events.
  package static let range =
    Rules.earliestTime / milliseconds..<Rules.endOfTime / milliseconds

  private static let pageBits = 10
  private static let pageSize = 1 << pageBits
  private static let pageCount = (range.count + pageSize - 1) / pageSize

  /// By page number: the index of its counts in `counts`, in pages and from 1; 0 = not created.
  private var pages = [UInt16](repeating: 0, count: HourCounts.pageCount)
  private var counts: [Int] = []

  /// No events.
  package init() {}

  /// Counts an event at `time`, in milliseconds; traps for times that the validator rejects.
  package mutating func add(time: Int) { add(1, at: time) }

  private mutating func add(_ events: Int, at time: Int) {
    let hour = UInt(bitPattern: time &- Rules.earliestTime) / UInt(Self.milliseconds)
    counts[index(of: hour)] += events
  }

  /// Counts the events among `operations` that have a time, consecutive ones of an hour together.
  mutating func add(eventsOf operations: [RoutedOperation]) {
    var start = 0
    var count = 0
    for operation in operations where operation.isEvent && operation.time != EventTime.absent {
      if UInt(bitPattern: operation.time &- start) >= UInt(Self.milliseconds) {
        if count > 0 { add(count, at: start) }
        start = operation.time - operation.time % Self.milliseconds
        count = 0
      }
      count += 1
    }
    if count > 0 { add(count, at: start) }
  }

  /// Adds the events of another shard, or of another part of the same run.
  package mutating func merge(_ other: HourCounts) {
    for (page, number) in other.pages.enumerated() where number > 0 {
      let theirs = (Int(number) - 1) << Self.pageBits
      let ours = index(of: UInt(page << Self.pageBits))
      for hour in 0..<Self.pageSize { counts[ours + hour] += other.counts[theirs + hour] }
    }
  }

  /// The hours with events, in order. Complexity: O(pages).
  package var hours: [Hour] {
    var hours: [Hour] = []
    for (page, number) in pages.enumerated() where number > 0 {
      let start = (Int(number) - 1) << Self.pageBits
      for hour in 0..<Self.pageSize where counts[start + hour] > 0 {
        hours.append(
          Hour(
            number: Self.range.lowerBound + page << Self.pageBits + hour,
            events: counts[start + hour]))
      }
    }
    return hours
  }

  package var events: Int { counts.reduce(0, +) }

  /// Whether the same hours have the same events, in any order of arrival.
  package static func == (one: HourCounts, other: HourCounts) -> Bool { one.hours == other.hours }

  /// The index of the count of an hour; `hour` counts from the first of ``range``.
  private mutating func index(of hour: UInt) -> Int {
    precondition(hour < UInt(Self.range.count), "an event's time is in the years 2000 to 2099")
    let page = Int(hour >> UInt(Self.pageBits))
    if pages[page] == 0 { make(page) }
    return (Int(pages[page]) - 1) << Self.pageBits | Int(hour) & (Self.pageSize - 1)
  }

  @inline(never)
  private mutating func make(_ page: Int) {
    counts.append(contentsOf: repeatElement(0, count: Self.pageSize))
    pages[page] = UInt16(counts.count >> Self.pageBits)
  }
}

// MARK: - As text

extension HourCounts: DocumentValue {
  package static var expected: String { "counts per hour" }

  /// Writes the counts: `[[hour,events],…]`, by hour.
  package func write(to json: inout JSONWriter) {
    CountPairs.write(hours.lazy.map { ($0.number, $0.events) }, to: &json)
  }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> HourCounts {
    var hours = HourCounts()
    for (hour, events) in try CountPairs.read(value, numbers: range, &reading) {
      hours.counts[hours.index(of: UInt(hour - range.lowerBound))] = events
    }
    return hours
  }
}
