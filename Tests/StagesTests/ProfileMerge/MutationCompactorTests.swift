import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct MutationCompactorTests {
  /// What is left of `records`: kinds, names, times or counts, and values.
  private static func left(
    _ records: [Mutation], _ erase: (inout KeyRegisters) -> Void = { _ in }
  ) -> [String] {
    let text = ByteBuffer(records: records)
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    compactor.begin()
    compactor.add(text.view)
    compactor.finish(duplicates: &duplicates, erase: erase)
    let words: [FactKind: String] = [
      .clear: "clear", .set: "set", .removeItem: "removeItem", .counted: "counted", .id: "id",
      .event: "event", .untimed: "untimed", .erased: "erased",
    ]
    var left: [String] = []
    var offset = 0
    let bytes = compactor.bytes.view
    while let record = Mutation(bytes, at: &offset) {
      var figure = record.time == EventTime.absent ? "untimed" : "\(record.time)"
      if record.kind == .untimed { figure = "\(record.eventRegister.count) untimed" }
      left.append("\(words[record.kind] ?? "?") \(record.name) \(figure) \(record.value.text)")
    }
    return left
  }

  /// Marks that a later base overrules are forgotten, and so is what a clear overrules.
  @Test func whatIsOverruledIsForgotten() {
    let left = Self.left([
      Mutation(.clear, time: 4), Mutation(.addItem, name: 1, time: 5, value: "old"),
      Mutation(.set, name: 1, time: 6, value: "[]"),
      Mutation(.removeItem, name: 1, time: 6, value: "x"),
      Mutation(.set, name: 2, time: 3, form: .url, value: "\"u\""),
      Mutation(.id, name: 3, time: 1, words: (7, 8)),
      Mutation(.event, name: 3, time: 1, value: "{}"), Mutation(.event, name: 3, time: 2),
    ])
    #expect(left == ["clear 0 4 ", "set 1 6 []", "removeItem 1 6 x", "counted 3 2 ", "id 3 1 "])
  }

  /// Events without time are kept apart from the others of their name, so that a mark can take
  /// them, and their ids.
  @Test func eventsWithoutTimeAreKeptApart() {
    let untimed = EventTime.absent
    let records = [
      Mutation(.event, name: 3, time: untimed, value: "{\"n\":2}"),
      Mutation(.event, name: 3, time: 1, value: "{}"),
      Mutation(.identified, name: 3, time: untimed, words: (7, 8)),
      Mutation(.identified, name: 3, time: untimed, words: (7, 8)),
      Mutation(.event, name: 4, time: untimed, value: "{\"n\":1}"),
      Mutation(.event, name: 4, time: untimed, value: "{\"n\":2}"),
    ]
    #expect(
      Self.left(records) == [
        "event 3 1 {}", "untimed 3 2 untimed ", "untimed 4 2 untimed {\"n\":2}", "id 3 untimed ",
      ])
    for (mark, expected) in [(0, "event 3 1 {}"), (1, "erased 0 0 ")] {
      let left = Self.left(records) { rows in
        _ = rows.erase(through: mark, of: "install:i") { $0 == 3 ? "three" : "four" }
        rows.deriveSeen()
      }
      #expect(left == [expected], "no name stays that a mark is about")
    }
  }
}
