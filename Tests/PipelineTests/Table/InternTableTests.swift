import TestSupport
import Testing

@testable import Pipeline

@Suite struct InternTableTests {
  private func number(_ text: [UInt8], in table: InternTable) -> Int {
    Int(withByteView(of: text) { table.number(of: $0) })
  }

  /// Texts of few different bytes and all lengths: many that differ in one byte, or in length only.
  @Test(arguments: [1, 2, 3] as [UInt64]) func numbersLikeADictionary(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let table = InternTable()
    var model: [[UInt8]: Int] = [:]
    for _ in 0..<6000 {
      let length = Int.random(in: 0...InternTable.longest + 2, using: &random)
      let text = (0..<length).map { position -> UInt8 in
        position == length / 2 ? UInt8.random(in: 0...3, using: &random) * 0x40 : 0x61
      }
      let found = number(text, in: table)
      if text.isEmpty || length > InternTable.longest {
        #expect(found == 0)
        continue
      }
      let expected = model[text] ?? model.count + 1
      model[text] = expected
      #expect(found == expected, "\(text), seed \(seed)")
    }
    #expect(table.count == model.count)
    for (text, expected) in model { #expect(table.text(expected).array == text) }
  }

  /// The quick lookup and the full one agree for a text at any offset of a block.
  @Test func wordsOfATapeTellTheSameText() throws {
    let names = (1...20).map { String(repeating: "k", count: $0) } + ["a", "b", "ab", "ba"]
    let fields = names.map { "\"\($0)\":1" }.joined(separator: ",")
    let line = ByteBuffer(text: "{\(fields)}\n")
    let tape = Tape()
    for _ in 0..<2 {
      tape.bind(to: line.view)
      try #require(Scanner.scan(line: 0..<line.count - 1, into: tape).root != nil)
      for index in 1..<tape.count where tape[index].kind == .key {
        let entry = tape[index]
        #expect(entry.number == tape.names.number(of: tape.bytes(entry)))
        #expect(tape.number(of: entry, in: tape.names) == entry.number)
        #expect(tape.names.text(Int(entry.number)) == tape.bytes(entry))
      }
    }
    #expect(tape.names.count == names.count)
  }

  @Test func aTableMayTakeNoTexts() {
    let table = InternTable(takesTexts: false)
    #expect(number(Array("name".utf8), in: table) == 0)
    #expect(number(Array("a name of more than sixteen bytes".utf8), in: table) == 0)
    #expect(table.count == 0)
  }

  @Test func aFullTableGivesNoNewNumbers() {
    let table = InternTable()
    for index in 0..<InternTable.most { #expect(number(Array("n\(index)".utf8), in: table) > 0) }
    #expect(table.isFull)
    #expect(number(Array("one more".utf8), in: table) == 0)
    #expect(number(Array("n7".utf8), in: table) == 8)
    table.removeAll()
    #expect(table.count == 0 && !table.isFull)
    #expect(number(Array("one more".utf8), in: table) == 1)
  }
}
