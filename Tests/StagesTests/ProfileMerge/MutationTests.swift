import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MutationTests {
  private static let kinds: [Mutation.Kind] = [
    .event, .identified, .counted, .set, .unset, .addItem, .removeItem, .id, .earlierID, .untimed,
    .seen, .link, .published,
  ]

  @Test(arguments: kinds)
  func everyKindKeepsWhatItHas(kind: Mutation.Kind) throws {
    for form in [KeyForm.plain, .date, .url] {
      for (time, length) in [(0, 0), (-1, 1), (1 << 47 - 1, 15), (-(1 << 47), 200)] {
        var value = ByteBuffer()
        while value.count < length { value.append(UInt8(value.count)) }
        var record = Mutation(kind, name: .max, time: time, form: form, value: value.view)
        if kind.hasWords { record.words = (.max, 1 << 63) }
        var bytes = ByteBuffer()
        bytes.append(text: "x")
        record.append(to: &bytes)
        #expect(bytes.count == 1 + record.length)
        var offset = 1
        let read = try #require(Mutation(bytes.view, at: &offset))
        #expect(offset == bytes.count)
        #expect(read.kind == kind && read.form == form)
        #expect(read.name == .max && read.time == time && read.words == record.words)
        #expect(read.value == value.view)
        #expect(Mutation(bytes.view, at: &offset) == nil, "the end")
      }
    }
  }

  /// An event and its id are one record, and two things.
  @Test func anIdentifiedEventIsAnEventWithAnID() {
    let id = EventID(Fingerprint(low: 5, high: 6), source: InputSourceID(number: 7))
    var record = Mutation(.identified, name: 1, time: 9, value: "{}")
    record.words = (id.tail, id.high)
    #expect(record.naming == .event)
    #expect(record.eventRegister.count == 1)
    #expect(record.eventRegister.seen == Seen(first: 9, last: 9))
    #expect(record.eventRegister.value == "{}")
    for isEarlier in [false, true] {
      let alone = Mutation(id, isEarlier: isEarlier, name: 1, time: 9)
      #expect(alone.kind == (isEarlier ? .earlierID : .id))
      #expect(alone.words == record.words && alone.naming == .event && alone.value.isEmpty)
    }
  }

  @Test func aRegisterKeepsItsTimesAndItsCount() {
    let register = EventRegister(count: -3, seen: Seen(first: -7, last: 8), value: "{}")
    let read = Mutation(register, name: 1).eventRegister
    #expect(read.count == -3 && read.seen == register.seen && read.value == "{}")
  }

  /// The events of one register are two records, if some have a time and some not.
  @Test func eventsWithoutTimeAreARecordOfTheirOwn() {
    let seen = Seen(first: -7, last: 8)
    let mixed = EventRegister(count: 9, untimed: 4, seen: seen, value: "{}")
    let timed = Mutation(mixed, name: 1).eventRegister
    #expect(timed.count == 5 && timed.untimed == 0 && timed.seen == seen && timed.value == "{}")
    let untimed = Mutation(untimedOf: mixed, name: 1)
    #expect(untimed.naming == .event && untimed.kind == .untimed)
    #expect(untimed.eventRegister.count == 4 && untimed.eventRegister.untimed == 4)
    #expect(untimed.eventRegister.seen == .never)
    #expect(untimed.value.isEmpty, "the value is that of an event with a time")
    let alone = EventRegister(count: 2, untimed: 2, seen: .never, value: "{}")
    #expect(Mutation(untimedOf: alone, name: 1).eventRegister.value == "{}")
    for kind in [Mutation.Kind.event, .identified] {
      let single = Mutation(kind, name: 1, time: EventTime.absent, value: "{}").eventRegister
      #expect(single.count == 1 && single.untimed == 1 && single.seen.isNever)
      #expect(single.value == "{}")
    }
  }

  /// What is not known to be a record is skipped only if it is one that ends within the bytes.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func whatLeadsOutOfTheBytesIsNotSkipped(seed: UInt64) {
    var states = RandomStates(seed: seed)
    for _ in 0..<2000 {
      let records = states.next("custom:u").records.array
      withByteView(of: Mutations.mutate(records, &states.random)) { bytes in
        var offset = 0
        while Mutation(bytes, at: &offset) != nil {}
        if offset > bytes.count { Issue.record("beyond the end, seed \(seed)") }
      }
    }
  }
}
