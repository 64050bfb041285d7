import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MutationTests {
  private static let kinds: [FactKind] = [
    .event, .identified, .counted, .set, .unset, .addItem, .removeItem, .id, .earlierID, .untimed,
    .seen, .link, .published,
  ]

  @Test(arguments: kinds)
  func everyKindKeepsWhatItHas(kind: FactKind) throws {
    for form in [KeyForm.plain, .date, .url] {
      for (time, length) in [(0, 0), (-1, 1), (1 << 47 - 1, 15), (-(1 << 47), 200)] {
        var value = ByteBuffer()
        while value.count < length { value.append(UInt8(value.count)) }
        var record = Mutation(kind, name: .max, time: time, form: form, value: value.view)
        if kind.hasWords { record.words = (.max, 1 << 63) }
        var bytes = ByteBuffer(text: "x")
        record.append(to: &bytes)
        var offset = 1
        let read = try #require(Mutation(bytes.view, at: &offset))
        #expect(offset == bytes.count && offset == 1 + record.length)
        #expect(read.kind == kind && read.form == form)
        #expect(read.name == .max && read.time == time && read.words == record.words)
        #expect(read.value == value.view)
        #expect(Mutation(bytes.view, at: &offset) == nil, "the end")
      }
    }
  }
}
