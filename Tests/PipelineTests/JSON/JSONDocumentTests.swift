import TestSupport
import Testing

@testable import Pipeline

@Suite struct JSONDocumentTests {
  private func document(
    _ text: String, limit: Int = JSONDocument.longest
  ) throws(JSONDocument.Fault) -> JSONDocument {
    try withByteView(of: text) { view throws(JSONDocument.Fault) in
      try JSONDocument(view, limit: limit)
    }
  }

  private func fault(_ text: String, limit: Int = JSONDocument.longest) -> JSONDocument.Fault? {
    do {
      _ = try document(text, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  /// Kind, and the value as a text, an integer, a number and a truth.
  @Test func everyKindOfValueIsFound() throws {
    let root = try document(
      """
      {
        "text": "a\\n\\u00e9", "int": -12, "double": 2.5, "yes": true, "no": false, "null": null,
        "digits": "2", "long": 99999999999999999999, "huge": 1e999,
        "list": [1, [2, 3],
          {"x": 4}, "five"],
        "object": {"inner": {"deep": "up"}}, "object": {"inner": {"deep": "down"}}
      }

      """
    ).root
    let found = root.members.map { name, value in
      let facts: [Any?] = [value.text, value.int, value.double, value.bool]
      return "\(name) \(value.kind) "
        + facts.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
    #expect(
      found == [
        "text string a\né - - -", "int integer - -12 -12.0 -", "double double - - 2.5 -",
        "yes true - - - true", "no false - - - false", "null null - - - -",
        "digits string 2 - - -", "long integer - - 1e+20 -", "huge double - - - -",
        "list array - - - -", "object object - - - -", "object object - - - -",
      ])
    let items = try #require(root["list"]?.items)
    #expect(items.map(\.kind) == [.integer, .array, .object, .string])
    #expect(items[1].items.map(\.int) == [2, 3] && items[2]["x"]?.int == 4)
    #expect(root["object"]?["inner"]?["deep"]?.text == "down", "of repeated fields the last counts")
    #expect(root["none"] == nil && root["list"]?["none"] == nil)
    #expect(root["list"]?.members.isEmpty == true && root["text"]?.items.isEmpty == true)
    #expect(root.kind == .object && root.items.isEmpty)
  }

  @Test func faultsSayWhatIsExpectedWhere() {
    #expect(fault("{\n  \"a\": ?\n}") == .invalidJSON(offset: 9, expected: "a value"))
    for text in ["", "{}{}", "\"line\nfeed\"", String(repeating: "[", count: 65)] {
      guard case .invalidJSON = fault(text) else {
        Issue.record("no fault in \(text)")
        continue
      }
    }
    #expect(throws: JSONDocument.Fault.invalidUTF8) {
      try withByteView(of: [0x22, 0xFF, 0x22]) { view in _ = try JSONDocument(view) }
    }
    #expect(fault("[1, 2]", limit: 6) == nil)
    #expect(fault("[1, 2]", limit: 5) == .tooLong(limit: 5))
  }

  @Test func aFileThatCannotBeReadIsAFailure() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(Array("[1,2]".utf8), to: "a.json")
    func failure(_ path: String, limit: Int = 100) -> Failure? {
      Failure.of(try JSONDocument(reading: path, limit: limit, doing: "reading the facts"))
    }
    #expect(try JSONDocument(reading: path, doing: "testing").root.items.map(\.int) == [1, 2])
    #expect(failure(path, limit: 5) == nil)
    #expect(failure(path, limit: 4)?.kind == .corrupt)
    #expect(failure(scratch("none.json"))?.kind == .io)
    #expect(failure(scratch.path)?.kind == .corrupt, "a directory")
    try scratch.write(Array("[1,2".utf8), to: "a.json")
    #expect(failure(path)?.why == "it is not JSON: at offset 4 it should have a comma or ]")
  }
}
