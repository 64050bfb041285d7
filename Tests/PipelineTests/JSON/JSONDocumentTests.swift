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

  @Test func everyKindOfValueIsFound() throws {
    let root = try document(
      """
      {
        "text": "a\\n\\u00e9", "int": -12, "double": 2.5, "yes": true, "no": false, "null": null,
        "list": [1, [2, 3],
          {"x": 4}, "five"],
        "object": {"inner": {"deep": "down"}}
      }

      """
    ).root
    #expect(root.kind == .object)
    #expect(root["text"]?.text == "a\né")
    #expect(root["int"]?.int == -12 && root["int"]?.double == -12)
    #expect(root["double"]?.double == 2.5 && root["double"]?.int == nil)
    #expect(root["yes"]?.bool == true && root["no"]?.bool == false)
    #expect(root["null"]?.kind == .null && root["null"]?.text == nil)
    let items = try #require(root["list"]?.items)
    #expect(items.map(\.kind) == [.integer, .array, .object, .string])
    #expect(items[1].items.map(\.int) == [2, 3] && items[2]["x"]?.int == 4)
    #expect(root["object"]?["inner"]?["deep"]?.text == "down")
    #expect(
      root.members.map(\.name)
        == ["text", "int", "double", "yes", "no", "null", "list", "object"])
  }

  @Test func whatAValueIsNotIsNothing() throws {
    let root = try document(#"{"a":[1],"b":"2","c":99999999999999999999,"d":1e999}"#).root
    #expect(root["none"] == nil && root["a"]?["none"] == nil)
    #expect(root["b"]?.int == nil && root["b"]?.items.isEmpty == true)
    #expect(root["a"]?.text == nil && root["a"]?.members.isEmpty == true)
    #expect(root["c"]?.int == nil && root["d"]?.double == nil && root["d"]?.bool == nil)
    #expect(root.items.isEmpty)
  }

  @Test func ofRepeatedMembersTheLastCounts() throws {
    let root = try document(#"{"a":{"x":1},"b":0,"a":{"x":2}}"#).root
    #expect(root["a"]?["x"]?.int == 2)
    #expect(root.members.count == 3)
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
