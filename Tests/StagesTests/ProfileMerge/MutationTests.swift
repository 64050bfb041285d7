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

  /// The events of one register are two records, if some have a time and some not.
  @Test func eventsWithoutTimeAreARecordOfTheirOwn() {
    let seen = Seen(first: -7, last: 8)
    let mixed = EventRegister(count: 1, untimed: 4, seen: seen, value: "{}")
    let timed = Mutation(mixed, name: 1).eventRegister
    #expect(timed.count == -3 && timed.untimed == 0 && timed.seen == seen && timed.value == "{}")
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
}
