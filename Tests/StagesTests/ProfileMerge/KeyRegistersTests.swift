import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KeyRegistersTests {
  private static func id(_ number: UInt64, from input: UInt64) -> EventID {
    EventID(Fingerprint(low: number, high: 0), source: InputSourceID(number: input))
  }

  /// Events with one id each, by their inputs.
  private static func append(
    _ number: UInt64, from inputs: [UInt64], name: UInt32 = 0, to records: inout ByteBuffer
  ) {
    for input in inputs { event(id(number, from: input), 5, name: name).append(to: &records) }
  }

  private static func event(_ id: EventID, _ time: Int, name: UInt32 = 0) -> Mutation {
    Mutation(.identified, name: name, time: time, words: (id.tail, id.high))
  }

  /// `dropped of counted`, by inputs.
  private static func duplicates(_ rows: borrowing KeyRegisters) -> [String] {
    var found: [String] = []
    rows.ids.forEachDuplicate { duplicate, counted in
      #expect(duplicate.isSame(as: counted) && !duplicate.isEarlier)
      found.append(
        "\(duplicate.id.source.number) of \(counted.id.source.number)"
          + (counted.isEarlier ? " earlier" : ""))
    }
    return found.sorted()
  }

  private static func ids(_ rows: borrowing KeyRegisters) -> [String] {
    var found: [String] = []
    rows.ids.forEachEvent { row in
      found.append(
        "\(row.id.lowBits) from \(row.id.source.number)" + (row.isEarlier ? " earlier" : ""))
    }
    return found
  }

  private static func settled(_ records: borrowing ByteBuffer) -> KeyRegisters {
    var rows = KeyRegisters()
    rows.gather(records.view, order: .numbers)
    rows.settle()
    return rows
  }

  private static func counts(_ rows: borrowing KeyRegisters) -> [Int] {
    rows.events.rows.map(\.register.count)
  }

  /// Names are part of what makes an event, whether their ids are the same or not.
  @Test func theFirstInputCounts() {
    var records = ByteBuffer()
    Self.append(1, from: [7, 3, 9, 3], to: &records)
    Self.append(2, from: [4], to: &records)
    Self.append(1, from: [5], name: 1, to: &records)
    let rows = Self.settled(records)
    #expect(Self.counts(rows) == [2, 1])
    #expect(Self.duplicates(rows) == ["3 of 3", "7 of 3", "9 of 3"])
    #expect(Self.ids(rows) == ["1 from 3", "2 from 4", "1 from 5"])
  }

  @Test func whatAStateCountedCountsBeforeAllInputs() {
    var records = ByteBuffer()
    Self.append(1, from: [1, 2], to: &records)
    let counted = EventRegister(count: 4, seen: Seen(first: 5, last: 5), value: "")
    Mutation(counted, name: 0).append(to: &records)
    Mutation(Self.id(1, from: 8), isEarlier: true, name: 0, time: 5).append(to: &records)
    let rows = Self.settled(records)
    #expect(Self.counts(rows) == [4])
    #expect(Self.duplicates(rows) == ["1 of 8 earlier", "2 of 8 earlier"])
    // What the state remembers is the first input of all, so that no order of nights matters.
    #expect(Self.ids(rows) == ["1 from 1 earlier"])
  }

  /// An event without time that came twice is taken out of those without time.
  @Test func duplicatesWithoutTimeAreTakenBack() {
    var records = ByteBuffer()
    for (number, time) in [(1, EventTime.absent), (1, EventTime.absent), (2, 5), (2, 5)] {
      Self.event(Self.id(UInt64(number), from: 3), time).append(to: &records)
    }
    var rows = Self.settled(records)
    #expect(Self.counts(rows) == [2] && rows.events.rows[0].register.untimed == 1)
    #expect(rows.ids.rows.map(\.time).min() == 5)
    #expect(rows.erase(through: 4) == 0)
    #expect(Self.counts(rows) == [1] && rows.events.rows[0].register.untimed == 0)
    rows.settle()
    #expect(Self.counts(rows) == [1], "also when it is settled again")
    #expect(Self.ids(rows) == ["2 from 3"])
  }

  /// What an erasure leaves, and counts, does not depend on what was merged before: an event that
  /// also came without a time stays, and an attribute that a clear has dropped is none.
  @Test func anErasureSeesTheSameHoweverItWasMerged() {
    let (first, second) = (Self.id(1, from: 3), Self.id(2, from: 3))
    let all = ByteBuffer(records: [
      Self.event(first, 9), Self.event(first, EventTime.absent),
      Self.event(second, EventTime.absent),
      Mutation(.set, name: 0, time: 5, value: "1"), Mutation(.clear, time: 7),
      Mutation(.set, name: 1, time: 8, value: "1"),
    ])
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    compactor.begin()
    compactor.add(all.view)
    compactor.finish(duplicates: &duplicates)
    var found: [String] = []
    for records in [all.view, compactor.bytes.view] {
      var rows = KeyRegisters()
      rows.gather(records, order: .numbers)
      rows.settle()
      let before = rows.parts
      #expect(before.attributes == 1 && before.events == 2)
      #expect(rows.erase(through: 6) == 0)
      rows.settle()
      #expect(Self.counts(rows) == [1] && rows.events.rows[0].register.untimed == 0)
      found.append("\(rows.ids.rows.map { "\($0.id) \($0.time) \($0.latest)" }) \(rows.parts)")
    }
    #expect(found[0] == found[1])
  }

  /// A clear that an erase mark has removed clears nothing of the installations of a person.
  @Test func anErasedClearClearsNothingOfMembers() {
    let own = ByteBuffer(records: [
      Mutation(.clear, time: 5), Mutation(.eraseMark, time: 6),
      Mutation(.set, name: 1, time: 7, value: "2"),
    ])
    let member = ByteBuffer(records: [Mutation(.set, name: 0, time: 1, value: "1")])
    var rows = Self.settled(own)
    #expect(rows.erase(through: 6, of: "custom:u") { _ in "a" } == 0)
    rows.gather(member.view, order: .numbers, from: .member)
    rows.settle()
    var names: [UInt32] = []
    rows.attributes.forEach { name, _ in names.append(name) }
    #expect(names == [0, 1])
  }

  /// Of deliveries with several times the earliest one counts, also before one that a state has
  /// counted: then that one is taken back. The id is kept from the first to the latest.
  @Test(arguments: [[3, 5, 9], [5, 9, 3], [9, 3, 5], [EventTime.absent, 9, 3]])
  func theEarliestDeliveryCounts(times: [Int]) {
    var records = ByteBuffer()
    let id = Self.id(1, from: 2)
    let seen = times[0] == EventTime.absent ? Seen.never : Seen(first: times[0], last: times[0])
    let counted = EventRegister(count: 1, untimed: seen.isNever ? 1 : 0, seen: seen, value: "")
    (seen.isNever ? Mutation(untimedOf: counted, name: 0) : Mutation(counted, name: 0))
      .append(to: &records)
    Mutation(id, isEarlier: true, name: 0, time: times[0]).append(to: &records)
    for time in times.dropFirst() { Self.event(id, time).append(to: &records) }
    var rows = Self.settled(records)
    #expect(Self.counts(rows) == [1] && rows.events.rows[0].register.untimed == 0)
    var dropped: [Int] = []
    rows.ids.forEachDuplicate { duplicate, _ in dropped.append(duplicate.time) }
    #expect(dropped.sorted() == Array(times.sorted().dropFirst()))
    var merged = ByteBuffer()
    rows.forEachRecord { if $0.isID { $0.append(to: &merged) } }
    var offset = 0
    let record = Mutation(merged.view, at: &offset)
    #expect(record?.time == 3 && record?.latestDelivery == times.max())
    #expect(record?.kind == .earlierID && offset == merged.count)
  }
}
