import Pipeline
import Stages
import Testing

@Suite struct StateReaderTests {
  private static let header =
    #"{"eventmill_state":5,"partition":0,"partitions":1}"# + "\n"

  /// A line that holds every member the format has.
  private static let full =
    #"{"key":"custom:u","attributes":{"$language":{"time":1714521600000,"unset":true},"#
    + #""k":{"add":{"a":1714521600002,"x\n":1714521600001},"form":"date","#
    + #""remove":{"b":1714521600001},"set":"2024-05-01T00:00:00.000Z","time":1714521600000}},"#
    + #""clear":1714521600000,"events":{"a":{"count":2,"first":1714521600000,"#
    + #""ids":{"00000000000000010002000000000003":1714521600001},"last":1714521600001,"#
    + #""value":{"n":1}}},"first":1714521600000,"last":1714521600002}"#

  /// The id of an anonymous event.
  private static let anonymous =
    #"{"key":"anonymous:00000000000000010002","name":"a","source":"00000000002a","#
    + #""time":1714521600001}"#

  private static func round(_ lines: String, totals: String? = nil) throws -> String {
    var options = SnapshotOptions()
    options.dedupeDays = 30
    let run = try MergeRun(options: options)
    try run.read([lines])
    if let totals { try run.read(totals: totals) }
    return try run.publish().state.joined()
  }

  @Test(arguments: [
    full,
    #"{"key":"install:i","link":{"custom_id":"u","time":1714521600000}}"#,
    #"{"key":"custom:u \"é\"","touched":true}"#,
    #"{"key":"install:i","at":{"place":{"latitude":-9.50,"longitude":1e1,"accuracy":0},"#
      + #""time":1714521600002},"consent":{"opted_out":true,"time":1714521600001},"#
      + #""erase":1714521600000,"erased":["0123456789abcdef0123456789abcdef","#
      + #""f123456789abcdef0123456789abcdef"],"first":1714521600001,"#
      + #""last":1714521600002,"link":{"custom_id":"u","time":1714521600001},"unlinked":true}"#,
    #"{"key":"install:i","latest_link":{"custom_id":"b","time":1714521600001},"#
      + #""link":{"custom_id":"u","time":1714521600000}}"#,
    #"{"key":"install:i","consent":{"opted_out":false,"time":1714521600000},"#
      + #""last":1714521600000}"#,
    #"{"key":"install:i","erase":1714521600000}"#,
    #"{"key":"custom:u","events":{"a":{"last":1714521600000},"b":{"count":0,"#
      + #""last":1714521600000}},"last":1714521600000}"#,
    anonymous,
    #"{"key":"custom:u","events":{"a":{"count":2,"untimed":2,"value":{"n":1}},"#
      + #""b":{"untimed":1}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":3,"last":1714521600000,"untimed":2},"#
      + #""b":{"count":4,"first":1714521600000,"last":1714521600001,"untimed":1,"value":{}}},"#
      + #""first":1714521600000,"last":1714521600001}"#,
    #"{"key":"install:i","events":{"a":{"untimed":1}}}"#,
  ])
  func aStateIsWrittenAsItWasRead(line: String) throws {
    var expected = Self.header + line + "\n"
    if line.contains(#""link":"#) {
      expected = Self.header + #"{"key":"custom:u","touched":true}"# + "\n" + line + "\n"
    }
    // Ids stay as long as they are young enough, which the totals tell.
    let total =
      #"{"eventmill_state":5,"partitions":1}"# + "\n"
      + #"{"event":"a","count":1,"last":1714521600000}"# + "\n"
    #expect(try Self.round(Self.header + line + "\n", totals: total) == expected)
    // Without one no id is young enough.
    if line.contains("anonymous") { expected = Self.header }
    if line == Self.full {
      expected = expected.replacing(
        #""ids":{"00000000000000010002000000000003":1714521600001},"#, with: "")
    }
    #expect(try Self.round(Self.header + line + "\n") == expected)
  }

  /// Nothing tells how old they are, so they stay as long as any ids are kept.
  @Test func idsWithoutTimeStay() throws {
    let lines =
      #"{"key":"anonymous:00000000000000010002","name":"a","source":"00000000002a"}"# + "\n"
      + #"{"key":"custom:u","events":{"a":{"count":2,"ids":{"00000000000000010002000000000003":"#
      + #"1714521600001,"00000000000000010003000000000004":null},"last":1714521600001,"#
      + #""untimed":1}},"last":1714521600001}"# + "\n"
    let totals = { (time: Int) in
      #"{"eventmill_state":5,"partitions":1}"# + "\n"
        + #"{"event":"a","count":1,"last":\#(time)}"# + "\n"
    }
    let kept = try Self.round(Self.header + lines, totals: totals(1_714_521_600_000))
    #expect(kept == Self.header + lines)
    let old = lines.replacing(#""00000000000000010002000000000003":1714521600001,"#, with: "")
    #expect(
      try Self.round(Self.header + lines, totals: totals(1_814_521_600_000)) == Self.header + old)
    #expect(try Self.round(Self.header + lines) == Self.header + old, "no event has a time")
    let run = try MergeRun()
    try run.read([Self.header + lines])
    #expect(try !run.publish().state.joined().contains("0000000"), "no ids are kept")
  }

  @Test func idsArePassedOverWhenTheyAreNotKept() throws {
    let run = try MergeRun()
    try run.read([Self.header + Self.full + "\n" + Self.anonymous + "\n"])
    let state = try run.publish().state.joined()
    #expect(!state.contains("ids") && !state.contains("anonymous"))
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
    #"{"key":"custom:u","events":{"a":{"count":1,"untimed":0}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":1,"untimed":2}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":3,"untimed":2}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":1,"first":1714521600000,"untimed":1}}}"#,
    #"{"key":"custom:u","events":{"a":{"untimed":true}}}"#,
    #"{"key":"custom:u","events":{"a":{"count":281474976710657,"last":1714521600000}}}"#,
    #"{"key":"custom:u","events":{"a":{"ids":{"1":1714521600000},"last":1714521600000}}}"#,
    #"{"key":"event:a","count":1,"last":1714521600000}"#,
    #"{"key":"install:i","at":{"place":{"latitude":9,"longitude":1}}}"#,
    #"{"key":"install:i","at":{"place":{"latitude":91,"longitude":1},"time":1714521600000}}"#,
    #"{"key":"install:i","at":{"place":5,"time":1714521600000}}"#, #"{"key":"install:i","at":5}"#,
    #"{"key":"install:i","consent":{"opted_out":true}}"#,
    #"{"key":"install:i","consent":{"opted_out":1,"time":1714521600000}}"#,
    #"{"key":"install:i","erase":true}"#, #"{"key":"install:i","erased":"a"}"#,
    #"{"key":"install:i","erased":["a"]}"#, #"{"key":"install:i","erased":[5]}"#,
    #"{"key":"install:i","unlinked":false}"#,
    #"{"key":"anonymous:12","name":"a","source":"000000000001","time":1714521600000}"#,
    #"{"key":"anonymous:00000000000000000001","name":"a","time":1714521600000}"#,
    #"{"key":"anonymous:00000000000000000001","name":"a","source":"1","time":1714521600000}"#,
    #"{"key":"anonymous:0000000000000000000g","name":"a","source":"000000000001","#
      + #""time":1714521600000}"#,
    #"{"key":"anonymous:00000000000000000001","source":"000000000001","time":1714521600000}"#,
  ])
  func aLineOfAnotherFormIsCorrupt(line: String) throws {
    let failure = #expect(throws: Failure.self) { try Self.round(Self.header + line + "\n") }
    #expect(failure?.kind == .corrupt)
    #expect(failure?.line == 2)
  }

  @Test(arguments: [
    "{}", "[]", #"{"eventmill_state":1,"lines":0,"partition":0,"partitions":1}"#,
    #"{"eventmill_state":4,"partition":0,"partitions":1}"#,
    #"{"eventmill_state":5,"partition":1,"partitions":1}"#,
    #"{"eventmill_state":5,"partition":0}"#,
    #"{"eventmill_state":5,"partition":0,"partitions":1048577}"#,
    #"{"eventmill_state":5,"partition":0,"partitions":0}"#,
    #"{"partition":0,"partitions":1}"#,
  ])
  func aFileWithoutHeaderIsCorrupt(header: String) {
    let failure = #expect(throws: Failure.self) { try Self.round(header + "\n") }
    #expect(failure?.kind == .corrupt)
  }

  @Test func aKeyOfAnotherPartitionIsCorrupt() throws {
    let part = { (part: Int, line: String) in
      #"{"eventmill_state":5,"partition":\#(part),"partitions":2}"# + "\n" + line
    }
    let right = Int(hash("custom:u") % 2)
    let line = #"{"key":"custom:u","touched":true}"# + "\n"
    func read(_ place: Int) throws {
      try MergeRun().read((0..<2).map { part($0, $0 == place ? line : "") })
    }
    #expect(throws: Failure.self) { try read(1 - right) }
    #expect(throws: Never.self) { try read(right) }
  }
}
