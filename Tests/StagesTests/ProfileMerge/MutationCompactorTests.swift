import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct MutationCompactorTests {
  private static func word(_ kind: Mutation.Kind) -> String {
    let words: [Mutation.Kind: String] = [
      .clear: "clear", .set: "set", .removeItem: "removeItem", .counted: "counted", .id: "id",
      .event: "event", .untimed: "untimed", .erased: "erased",
    ]
    return words[kind] ?? "another"
  }

  /// Marks that a later base overrules are forgotten, and so is what a clear overrules.
  @Test func whatIsOverruledIsForgotten() {
    let records = [
      Mutation(.clear, time: 4),
      Mutation(.addItem, name: 1, time: 5, value: "old"),
      Mutation(.set, name: 1, time: 6, value: "[]"),
      Mutation(.removeItem, name: 1, time: 6, value: "x"),
      Mutation(.set, name: 2, time: 3, form: .url, value: "\"u\""),
      Mutation(.id, name: 3, time: 1, words: (7, 8)),
      Mutation(.event, name: 3, time: 1, value: "{}"),
      Mutation(.event, name: 3, time: 2),
    ]
    var text = ByteBuffer()
    for record in records { record.append(to: &text) }
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    compactor.add(text.view)
    compactor.finish(duplicates: &duplicates)
    #expect(duplicates == DuplicateTally())
    var left: [String] = []
    var offset = 0
    let bytes = compactor.bytes.view
    while let record = Mutation(bytes, at: &offset) {
      left.append("\(Self.word(record.kind)) \(record.name) \(record.time) \(record.value.text)")
    }
    #expect(
      left == [
        "clear 0 4 ", "set 1 6 []", "removeItem 1 6 x", "counted 3 2 ", "id 3 1 ",
      ])
  }

  /// Events without time are kept apart from the others of their name, so that a mark can take
  /// them.
  @Test func eventsWithoutTimeAreKeptApart() {
    let records = [
      Mutation(.event, name: 3, time: EventTime.absent, value: "{\"n\":2}"),
      Mutation(.event, name: 3, time: 1, value: "{}"),
      Mutation(.identified, name: 3, time: EventTime.absent, words: (7, 8)),
      Mutation(.identified, name: 3, time: EventTime.absent, words: (7, 8)),
      Mutation(.event, name: 4, time: EventTime.absent, value: "{\"n\":1}"),
      Mutation(.event, name: 4, time: EventTime.absent, value: "{\"n\":2}"),
    ]
    var text = ByteBuffer()
    for record in records { record.append(to: &text) }
    func left(erasedThrough mark: Int) -> [String] {
      var compactor = MutationCompactor()
      var duplicates = DuplicateTally()
      compactor.begin()
      compactor.add(text.view)
      compactor.finish(duplicates: &duplicates) { rows in
        guard mark != .min else { return }
        _ = rows.erase(through: mark, of: "install:i") { $0 == 3 ? "three" : "four" }
        rows.deriveSeen()
      }
      var left: [String] = []
      var offset = 0
      let bytes = compactor.bytes.view
      while let record = Mutation(bytes, at: &offset) {
        let count = record.kind == .untimed ? " \(record.eventRegister.count)" : ""
        left.append("\(Self.word(record.kind)) \(record.name)\(count) \(record.value.text)")
      }
      return left
    }
    #expect(
      left(erasedThrough: .min)
        == ["event 3 {}", "untimed 3 2 ", "untimed 4 2 {\"n\":2}", "id 3 "])
    #expect(left(erasedThrough: 0) == ["event 3 {}"], "any mark takes them, and their ids")
    #expect(left(erasedThrough: 1) == ["erased 0 "], "no name stays")
  }
}
