import Pipeline
import Synchronization

/// Stage 5 where events are only counted (`count`): records → counters per event name, and the ids
/// by which duplicates are found at the end (data-model 12).
package final class EventCountStage: Stage {
  package static let name = "aggregation"

  private let events: CountedEvents
  private var names: NameCache
  private var sourceNames = SourceNameFilter()
  private let secret = TableHash.secret
  /// Nil where events are counted by name only.
  private let groups: EventGroups?

  /// A stage that adds to `events`. With a `grouping` the pairs of a name and a group are counted,
  /// numbered in `pairs`; `files` are the paths of the inputs.
  package init(
    _ events: CountedEvents, names: NameTable,
    by grouping: (EventGroup, pairs: NameTable, files: [String])? = nil
  ) {
    self.events = events
    self.names = NameCache(of: names)
    groups = grouping.map { EventGroups($0, pairs: $1, files: $2) }
  }

  /// Complexity: O(records and events).
  package func process(_ unit: WorkUnit) {
    let batch = unit.batch
    let failure = events.add { counts in
      for index in batch.records.indices where !batch.records[index].isRejected {
        let record = batch.records[index]
        for event in record.eventIndices where batch.events[event].isAccepted {
          count(batch.events[event], of: record, input: unit.block.input, in: batch, &counts)
        }
      }
    }
    unit.failure = unit.failure ?? names.failure ?? groups?.failure ?? failure
  }

  private func count(
    _ event: EventEntry, of record: RecordEntry, input: Int, in batch: RecordBatch,
    _ counts: inout CountedEvents.Counts
  ) {
    var (name, hash) = batch.name(of: event, in: &names)
    if let groups { name = groups.number(of: event, name, record, input: input, in: batch.tape) }
    let time = event.timing == .absent ? EventTime.absent : event.time
    counts.totals.add(name, record.countedDialect, at: time)
    if event.idNode.exists {
      let id = Fingerprint(
        id: batch.tape.bytes(at: event.idNode), owner: owner(of: record, in: batch.tape),
        name: hash, time: Fingerprint.time(of: event), by: secret)
      counts.ids.append(low: id.low, high: id.high, tag: name)
    }
    if groups == nil, let text = sourceNames.news(of: event, name, in: batch.tape) {
      counts.totals.add(sourceName: text, of: name)
    }
  }

  /// A hash of the person or installation that the record belongs to; 0 for neither.
  private func owner(of record: RecordEntry, in tape: Tape) -> UInt64 {
    if record.customID.exists { return secret.hash(tape.bytes(at: record.customID)) &+ 1 }
    guard record.installationID.exists else { return 0 }
    return secret.hash(tape.bytes(at: record.installationID)) &+ 2
  }
}

/// The memory used by the ids of all lanes.
package final class IDMemory: Sendable {
  private let limit: Int
  private let used = Atomic(0)
  /// Bytes used after each lane's last removal of duplicates.
  private let kept = Atomic(0)

  /// No ids; they may take `limit` bytes, and a sixteenth of those is for duplicates.
  package init(limit: Int) { self.limit = limit }

  fileprivate func hasRoom(for bytes: Int) -> Bool {
    used.add(bytes, ordering: .relaxed).newValue <= limit
  }

  fileprivate func keep(_ bytes: Int) { kept.add(bytes, ordering: .relaxed) }

  /// Whether the ids exceed the limit even without the duplicates of each lane.
  fileprivate var isFull: Bool { kept.load(ordering: .relaxed) > limit - limit / 16 }
}

/// The events that one lane has counted.
package final class CountedEvents: Sendable {
  struct Counts: ~Copyable {
    var totals = EventTotals()
    var ids: DigestLog
    /// Bytes of the ids that are reported to the memory budget.
    var known = 0
    /// Bytes of the ids after the last removal of duplicates.
    var kept = 0
  }

  private let counts: Locked<Counts>
  private let memory: IDMemory
  /// The names of the numbers, where they are those of groups.
  private let groups: NameTable?

  /// No events. Names, or `groups`, have numbers up to `greatestName`.
  package init(greatestName: UInt32, memory: IDMemory, groups: NameTable? = nil) {
    counts = Locked(Counts(ids: DigestLog(greatestTag: greatestName)))
    self.memory = memory
    self.groups = groups
  }

  /// Calls `count` to add events; returns why the job cannot continue, if it cannot.
  fileprivate func add(_ count: (inout Counts) -> Void) -> Failure? {
    counts.withLock { counts in
      count(&counts)
      if hasRoom(for: &counts) { return nil }
      // Whenever the ids have grown by a sixteenth, so that this costs no more than reading.
      if counts.ids.footprint >= counts.kept + counts.kept / 16 {
        counts.removeDuplicates(ranks: groups?.list().ranks)
        _ = hasRoom(for: &counts)
        memory.keep(counts.ids.footprint - counts.kept)
        counts.kept = counts.ids.footprint
      }
      return memory.isFull ? Self.failure : nil
    }
  }

  private func hasRoom(for counts: inout Counts) -> Bool {
    let change = counts.ids.footprint - counts.known
    counts.known += change
    return memory.hasRoom(for: change)
  }

  private static var failure: Failure {
    Failure(
      .limit, doing: "searching for duplicates",
      why: "the ids of the events take more memory than --memory allows",
      advice: "allow more, or use eventmill run, which spills to disk")
  }

  /// The sum of the counts of all lanes, without duplicates: of events with the same id one is
  /// kept, with groups the one whose group is the smallest by bytes. Complexity: O(events) on
  /// average.
  package static func totals(of lanes: [CountedEvents]) -> EventTotals {
    let ranks = lanes.first?.groups?.list().ranks
    var totals = EventTotals()
    for lane in lanes { totals.merge(lane.counts.withLock { $0.totals }) }
    var repeated = RepeatedDigests()
    var ids: [DigestLog.Entry] = []
    for partition in 0..<DigestLog.partitions {
      ids.removeAll(keepingCapacity: true)
      for lane in lanes { lane.counts.withLock { $0.ids.copy(partition, to: &ids) } }
      repeated.remove(from: &ids, ranks: ranks) { totals.takeBack(1, $0.tag) }
    }
    return totals
  }
}

extension CountedEvents.Counts {
  /// Subtracts the duplicates among the events so far, and drops their ids.
  fileprivate mutating func removeDuplicates(ranks: [UInt32]?) {
    var repeated = RepeatedDigests()
    var list: [DigestLog.Entry] = []
    for partition in 0..<DigestLog.partitions {
      list.removeAll(keepingCapacity: true)
      ids.copy(partition, to: &list)
      let before = list.count
      repeated.remove(from: &list, ranks: ranks) { totals.takeBack(1, $0.tag) }
      if list.count < before { ids.replace(partition, by: list) }
    }
  }
}
