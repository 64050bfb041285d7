import Pipeline
import Testing

@testable import Stages

/// What the reader of mappings says of mistakes in them.
@Suite struct MappingReaderTests {
  private static let good = #"""
    {
      "eventmill_mapping": 1,
      "dialect": "shop",
      "match": [{"path": "/a", "in": ["x"]}],
      "custom_id": "/u",
      "time": {"path": "/t", "unit": "s"},
      "lines": [
        {"when": "/b", "name": "/n", "attributes": "/p", "rename": {"A": "b"}}
      ]
    }
    """#

  private func mistake(in text: String) -> MappingFault? {
    var mappings = Mappings()
    let bytes = ByteBuffer(text: text)
    do throws(MappingFault) {
      try mappings.add(bytes.view)
      return nil
    } catch {
      return error
    }
  }

  @Test func aGoodOneIsTaken() { #expect(mistake(in: Self.good) == nil) }

  @Test(arguments: [
    (#""match""#, #""mach""#, "/mach", 4, "did you mean \"match\"?"),
    (#""unit": "s""#, #""unit": "sec""#, "/time/unit", 6, "write one of them"),
    (#""dialect": "shop""#, #""dialect": "v1""#, "/dialect", 3, "write a small letter"),
    (#""dialect": "shop""#, #""dialect": "auto""#, "/dialect", 3, "write a small letter"),
    (#"mapping": 1"#, #"mapping": 2"#, "/eventmill_mapping", 2, "this program reads no other"),
    (#""custom_id": "/u""#, #""custom_id": "u""#, "/custom_id", 5, "write \"/name\""),
    (#""custom_id""#, #""id""#, "/lines/0", 8, "add custom_id"),
    (#""name": "/n", "#, "", "/lines/0", 8, "add \"name\""),
    (#""when""#, #""wen""#, "/lines/0/wen", 8, "did you mean \"when\"?"),
    (#"{"A": "b"}"#, #"{"A": "B b"}"#, "/lines/0/rename/A", 8, "write small letters"),
    (
      #""/n""#, #""/n", "constants": {"c": " "}"#, "/lines/0/constants/c", 8, "write at most 300"
    ),
    (
      #""/n""#, #""/n", "constants": {"c": 1e999}"#, "/lines/0/constants/c", 8,
      "write a number of 64 bits"
    ),
    (#"["x"]"#, #"[[]]"#, "/match/0/in/0", 4, "write one of them"),
    (#"["x"]"#, #"[]"#, "/match/0/in", 4, "name some"),
    (#""in": ["x"]"#, #""present": false"#, "/match", 4, "add a path"),
    (#""/n""#, #""/\#(String(repeating: "/n", count: 17))""#, "/lines/0/name", 8, "shorten it"),
    (
      #""attributes": "/p""#, #""as": "alias", "attributes": "/p""#, "/lines/0", 8,
      "add custom_id and installation_id"
    ),
    (
      #""attributes": "/p""#, #""as": "delete", "attributes": "/p""#, "/lines/0/name", 8,
      "leave it out"
    ),
    (
      #""attributes": "/p""#, #""unroll": "/l", "id": "/l/x", "attributes": "/p""#, "/lines/0/id",
      8, "write /* behind"
    ),
    (
      #""attributes": "/p""#, #""unroll": "/l", "custom_id": "/l/*/x", "attributes": "/p""#,
      "/lines/0/custom_id", 8, "name a path of the line"
    ),
  ])
  func mistakes(
    old: String, new: String, pointer: String, line: Int, advice: String
  ) throws {
    let fault = try #require(mistake(in: Self.good.replacing(old, with: new)))
    #expect(fault.pointer == pointer)
    #expect(fault.line == line)
    #expect(fault.advice.hasPrefix(advice), "\(fault.advice)")
  }

  @Test func whatIsNoJSON() throws {
    #expect(try #require(mistake(in: "{")).why.hasPrefix("it is no JSON"))
    #expect(try #require(mistake(in: "[]")).why == "it must be an object")
    #expect(
      try #require(mistake(in: #"{"dialect":"a","dialect":"b"}"#)).why == "it stands here twice")
  }

  @Test func twoOfOneName() throws {
    var mappings = Mappings()
    let bytes = ByteBuffer(text: Self.good)
    try mappings.add(bytes.view)
    #expect(throws: MappingFault.self) { try mappings.add(bytes.view) }
  }
}
