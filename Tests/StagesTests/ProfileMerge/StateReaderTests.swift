import Pipeline
import Stages
import Testing

@Suite struct StateReaderTests {
  private static let header =
    #"{"eventmill_state":2,"lines":1,"partition":0,"partitions":1}"# + "\n"

  /// A line that holds every member the format has.
  private static let full =
    #"{"key":"custom:u","attributes":{"$language":{"time":1714521600000,"unset":true},"#
    + #""k":{"add":{"a":1714521600002,"x\n":1714521600001},"form":"date","#
    + #""remove":{"b":1714521600001},"set":"2024-05-01T00:00:00.000Z","time":1714521600000}},"#
    + #""clear":1714521600000,"events":{"a":{"count":2,"first":1714521600000,"#
    + #""ids":{"00000000000000010000000000000002":1714521600001},"last":1714521600001,"#
    + #""value":{"n":1}}},"first":1714521600000,"last":1714521600002}"#

  private static func round(_ lines: String) throws -> String {
    var options = SnapshotOptions()
    options.dedupeDays = 30
    let run = MergeRun(options: options)
    try run.read([lines])
    return run.publish().state.joined()
  }

  @Test(arguments: [
    full,
    #"{"key":"install:i","link":{"custom_id":"u","time":1714521600000}}"#,
    #"{"key":"custom:u \"é\"","touched":true}"#,
    #"{"key":"custom:u","events":{"a":{"last":1714521600000},"b":{"count":0,"#
      + #""last":1714521600000}},"last":1714521600000}"#,
    #"{"key":"event:a","count":1,"duplicates":0,"last":1714521600000}"#,
    #"{"key":"event:a","count":2,"dialects":{"v1":1,"v2":2},"duplicates":1,"#
      + #""first":1714521600000,"last":1714521600001}"#,
    #"{"key":"anonymous:0000000000000001ffffffffffffffff","name":"a","time":1714521600001}"#,
  ])
  func aStateIsWrittenAsItWasRead(line: String) throws {
    var expected = Self.header + line + "\n"
    if line.contains("link") {
      expected =
        Self.header.replacing("\"lines\":1", with: "\"lines\":2")
        + #"{"key":"custom:u","touched":true}"# + "\n" + line + "\n"
    }
    // An anonymous id alone lets no event be seen, so nothing tells how old it is.
    if line.contains("anonymous") {
      expected = Self.header.replacing("\"lines\":1", with: "\"lines\":0")
    }
    if line == Self.full {
      // Its total stands on another line; without one no id is young enough to stay.
      expected = expected.replacing(
        #""ids":{"00000000000000010000000000000002":1714521600001},"#, with: "")
    }
    #expect(try Self.round(Self.header + line + "\n") == expected)
  }

  @Test(arguments: [
    "[]", #"{"first":1}"#, #"{"key":5}"#, #"{"key":"u"}"#, #"{"key":"custom:"}"#,
    #"{"key":"custom:u","color":1}"#, #"{"key":"custom:u","clear":"now"}"#,
    #"{"key":"custom:u","clear":-5}"#, #"{"key":"custom:u","clear":5}"#,
    #"{"key":"custom:u","clear":99999999999999999999}"#,
    #"{"key":"custom:u","first":1714521600000}"#,
    #"{"key":"custom:u","first":1714521600002,"last":1714521600000}"#,
    #"{"key":"custom:u","link":{"custom_id":"u","time":1714521600000}}"#,
    #"{"key":"install:i","link":{"custom_id":"","time":1714521600000}}"#,
    #"{"key":"install:i","link":{"custom_id":"u"}}"#,
    #"{"key":"custom:u","attributes":{"A b":{}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"set":1}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"time":1714521600000}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"set":1,"time":1714521600000,"unset":true}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"set":null,"time":1714521600000}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"set":[["a"]],"time":1714521600000}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"set":{"a":1},"time":1714521600000}}}"#,
    #"{"key":"custom:u","attributes":{"k":{"add":["a"]}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":1}}}"#,
    #"{"key":"custom:u","events":{"a":{"first":1714521600000}}}"#,
    #"{"key":"custom:u","events":{"a":{"first":1714521600001,"last":1714521600000}}}"#,
    #"{"key":"custom:u","events":{"A":{}}}"#,
    #"{"key":"event:a","count":281474976710657,"first":1714521600000,"#
      + #""last":1714521600000}"#,
    #"{"key":"event:a","count":1}"#,
    #"{"key":"event:a","dialects":{"v9":1}}"#,
    #"{"key":"anonymous:12","name":"a","time":1714521600000}"#,
    #"{"key":"anonymous:00000000000000000000000000000000","name":"a","time":1714521600000}"#,
    #"{"key":"anonymous:00000000000000000000000000000001","time":1714521600000}"#,
  ])
  func aLineOfAnotherFormIsCorrupt(line: String) throws {
    let failure = #expect(throws: Failure.self) { try Self.round(Self.header + line + "\n") }
    #expect(failure?.kind == .corrupt)
    #expect(failure?.line == 2)
  }

  @Test(arguments: [
    "{}", "[]", #"{"eventmill_state":1,"lines":0,"partition":0,"partitions":1}"#,
    #"{"eventmill_state":3,"lines":0,"partition":0,"partitions":1}"#,
    #"{"eventmill_state":2,"lines":0,"partition":1,"partitions":1}"#,
    #"{"eventmill_state":2,"partition":0,"partitions":1}"#,
  ])
  func aFileWithoutHeaderIsCorrupt(header: String) {
    let failure = #expect(throws: Failure.self) { try Self.round(header + "\n") }
    #expect(failure?.kind == .corrupt)
  }

  @Test func aPartThatWasCutIsCorrupt() {
    let failure = #expect(throws: Failure.self) { try Self.round(Self.header) }
    #expect(failure?.why == "0 lines follow the header, which promises 1")
  }

  @Test func aKeyOfAnotherPartitionIsCorrupt() {
    let header = { (part: Int) in
      #"{"eventmill_state":2,"lines":1,"partition":\#(part),"partitions":2}"# + "\n"
    }
    let wrong = 1 - Int(hash("custom:u") % 2)
    let line = #"{"key":"custom:u","touched":true}"# + "\n"
    #expect(throws: Failure.self) { try Self.round(header(wrong) + line) }
    #expect(throws: Never.self) { try Self.round(header(1 - wrong) + line) }
  }
}
