import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The dialect of a line, and the position of each part (data-model 3).
@Suite struct DialectReaderTests {
  static let time = Sample.time

  @Test func detection() throws {
    let harness = StageHarness()
    for (line, dialect) in [
      (#"{"identifiers":{},"update":{},"name":"n","events":[]}"#, "v2"),
      (#"{"identifiers":null,"update":{},"name":"n","events":[]}"#, "v1"),
      (#"{"identifiers":1}"#, "v2"), (#"{"update":1}"#, "v1"), (#"{"name":{}}"#, "v1"),
      (#"{"events":""}"#, "v1"), (#"{"name":null}"#, nil), (#"{"id":"u"}"#, nil),
      (#"{"Name":"n"}"#, nil), (#"{"identifiers":{},"identifiers":null}"#, nil),
      (#"{"identifiers":null,"identifiers":{}}"#, "v2"),
    ] as [(String, String?)] {
      let found = try harness.explain(line)
      #expect(found.value["dialect"]?.text == dialect, "\(line)")
      #expect((dialect == nil) == (found.codes == ["unknown_dialect"]), "\(line)")
    }
  }

  /// What a redrive writes is read as v2, under the limits of v2, and counted for the dialect it
  /// names.
  @Test(arguments: [
    (#"{"source":"a","line":1,"offset":0,"dialect":"v1"}"#, Dialect.v1, true),
    (#"{"dialect":"v2"}"#, .v2, true), (#"{"dialect":"v9"}"#, .v2, true),
    (#"{"dialect":1}"#, .v2, true), ("{}", .v2, true), ("1", .v2, false), ("null", .v2, false),
    (#"null,"redriven":{"dialect":"v1"}"#, .v1, true),
    (#"{"dialect":"v1"},"redriven":null"#, .v2, false),
  ])
  func aRedrivenRecordCountsForItsFirstDialect(
    _ note: String, _ dialect: Dialect, _ isObject: Bool
  ) {
    let harness = StageHarness()
    harness.load(
      Array(
        (#"{"identifiers":{},"events":[{"name":"n","time":\#(Self.time)}],"#
          + #""extra":1,"redriven":\#(note)}"#).utf8))
    harness.work()
    let batch = harness.unit.batch
    #expect(batch.lines[0].outcome == .record && batch.events[0].isAccepted)
    #expect(batch.records[0].dialect == .v2 && batch.records[0].countedDialect == dialect)
    #expect((batch.records[0].redriven.exists) == isObject && batch.hasRedriven == isObject)
    // A value other than an object does not describe a redrive, so no rule reads it.
    #expect(batch.unknownNames.map(\.name) == (note == "1" ? ["extra", "redriven"] : ["extra"]))
  }

  /// In v1 `redriven` is an unknown field. No later line counts as redriven because of it.
  @Test func onlyV2RecordsAreRedriven() {
    let harness = StageHarness()
    harness.load(
      Array(
        (#"{"identifiers":{},"redriven":{}}"# + "\n"
          + #"{"name":"n","time":\#(Self.time),"redriven":{"dialect":"v2"}}"#).utf8))
    harness.work()
    #expect(harness.unit.batch.records[1].countedDialect == .v1)
    #expect(harness.unit.batch.unknownNames.map(\.name) == ["redriven"])
    harness.load(Array(#"{"name":"n"}"#.utf8))
    harness.work()
    #expect(!harness.unit.batch.hasRedriven)
  }

  /// Which of the four forms it is shows in the canonical record.
  @Test func updateBeforeNameBeforeEvents() throws {
    let harness = StageHarness()
    let update = try harness.explain(
      #"{"id":"u","time":\#(Self.time),"update":{"values":{"a":1}},"name":"n","events":[]}"#)
    #expect(update.value["canonical"]?["attributes"]?.names == ["a"])
    let event = try harness.explain(
      #"{"id":"e","time":\#(Self.time),"name":"n","events":[{"name":"m"}]}"#)
    #expect(event.value["canonical"]?["events"]?[0]?["name"]?.text == "n")
    #expect(event.value["canonical"]?["events"]?[0]?["id"]?.text == "e")
  }

  private func identifiers(_ line: String) throws -> NaiveJSON? {
    try StageHarness().explain(line).value["canonical"]?["identifiers"]
  }

  private func ids(_ custom: String?, _ installation: String? = nil) -> NaiveJSON {
    .object(
      (custom.map { [.init(name: "custom_id", value: .string($0))] } ?? [])
        + (installation.map { [.init(name: "installation_id", value: .string($0))] } ?? []))
  }

  /// Of several names for one thing the first of the list that is not null counts.
  @Test func namesOfOneThing() throws {
    let event = #""name":"n","time":\#(Self.time)}"#
    let all = #"{"user_id":"b","custom_id":"a","install_id":"d","installation_id":"c","#
    #expect(try identifiers(all + event) == ids("a", "c"))
    #expect(
      try identifiers(
        #"{"user_id":"b","custom_id":null,"install_id":"d","installation_id":null,"# + event)
        == ids("b", "d"))
    #expect(try identifiers(#"{"id":"x","# + event) == ids(nil), "the id of an event is its own")
    let bulk = #""events":[{"name":"n","time":\#(Self.time)}]}"#
    #expect(try identifiers(#"{"user_id":"c","custom_id":"b","id":"a","# + bulk) == ids("a"))
    #expect(
      try identifiers(#"{"user_id":"c","custom_id":"b","install_id":"i","# + bulk) == ids("b", "i"))
    let data = #""time":\#(Self.time),"update":{"values":{"a":1}}}"#
    #expect(try identifiers(#"{"user_id":"c","id":"a","# + data) == ids("a"))
    let line = try StageHarness().explain(#"{"event_id":"f","id":null,"# + event)
    #expect(line.value["canonical"]?["events"]?[0]?["id"]?.text == "f")
  }

  @Test func theInstallationOfV2() throws {
    let rest = #","events":[{"name":"n","time":\#(Self.time)}]}"#
    for (identifiers, id) in [
      (#"{"installation":{"installation_id":"a"}}"#, "a"),
      (#"{"installation":{"installation_id":"a"},"installation_id":"b"}"#, "b"),
      (#"{"installation":{"installation_id":"a"},"installation_id":null}"#, "a"),
      (#"{"installation":"a"}"#, nil), (#"{"installation":{}}"#, nil),
      (#"{"installation":null}"#, nil),
      (#"{"installation_id":"b","installation_id":null}"#, nil),
    ] as [(String, String?)] {
      #expect(
        try self.identifiers(#"{"identifiers":\#(identifiers)\#(rest)"#) == ids(nil, id),
        "\(identifiers)")
    }
  }

  @Test func bulkEventsTakeTheRootTime() throws {
    let line = try StageHarness().explain(
      #"{"id":"u","time":\#(Self.time),"events":[{"name":"a","label":"l","custom_id":"x"},"#
        + #"{"name":"b","time":"2024-06-01T00:00:00","tags":["T"],"event_id":3},1]}"#)
    let events = line.value["canonical"]?["events"]?.items ?? []
    #expect(
      events.map { $0["time"]?.text } == ["2024-05-01T00:00:00.000Z", "2024-06-01T00:00:00.000Z"])
    #expect(events[0]["attributes"]?["$label"]?.text == "l")
    #expect(events[1]["attributes"]?["$tags"]?[0]?.text == "t" && events[1]["id"]?.text == "3")
    #expect(line.reasons == ["event:2  wrong_type"])
  }

  // MARK: User data

  /// The attributes that user data becomes, as text; and the reasons.
  private func data(_ values: String) throws -> (attributes: String, reasons: [String]) {
    let line = try StageHarness().explain(
      #"{"id":"u","time":\#(Self.time),"update":{"values":{\#(values)}}}"#)
    let attributes = line.canonical.flatMap { SourceJSON($0)["attributes"] }?.bytes ?? []
    return (
      String(decoding: attributes, as: UTF8.self),
      line.reasons.map { $0.replacing("operation:", with: "") }
    )
  }

  @Test func prefixesAreStripped() throws {
    #expect(
      try data(
        #""u.City":"P","ut.roles":["A"],"date(u.birth)":0,"url(u.Link)":"x://y","plain":1,"u.old":null"#
      ).attributes
        == #"{"city":"P","roles":["A"],"date(birth)":"1970-01-01T00:00:00.000Z","url(link)":"x://y","#
        + #""plain":1,"old":null}"#)
    #expect(
      try data(#""language":"fr","region":" FR ","u.language":"x""#).attributes
        == #"{"$language":"fr","$region":"FR","language":"x"}"#)
    #expect(try data(#""u.$timezone":"T""#).attributes == #"{"$timezone":"T"}"#)
  }

  @Test func keysThatAreNone() throws {
    #expect(
      try data(#""u.":1,"ut.x y":["a"],"date(u.)":0,"url(u.-)":1,"u.u.a":1,"date(ut.a)":0"#).reasons
        == [
          "0 attributes.u. bad_key", "1 attributes.ut.x y bad_key", "2 attributes.date(u.) bad_key",
          "3 attributes.url(u.-) bad_key", "4 attributes.u.u.a bad_key",
          "5 attributes.date(ut.a) bad_key",
        ])
  }

  @Test func aCollectionWinsOverAnAttribute() throws {
    let collection = #"{"k":["a"]}"#
    #expect(try data(#""ut.k":["a"],"u.k":1"#).attributes == collection)
    #expect(try data(#""u.k":1,"ut.k":["a"]"#).attributes == collection)
    #expect(try data(#""ut.k":["x"],"u.k":1,"ut.K":["a"]"#).attributes == collection)
    #expect(try data(#""ut.k":["a"],"u.k":1,"K":2"#).attributes == collection)
    #expect(try data(#""u.k":1,"u.K":2"#).attributes == #"{"k":2}"#)
    #expect(
      try data(#""ut.k":"x","u.k":1"#).reasons == ["0 attributes.k wrong_type"], "even a bad one")
    #expect(
      try data(#""a":1,"u.k":1,"b":2,"date(k)":0"#).attributes
        == #"{"a":1,"b":2,"date(k)":"1970-01-01T00:00:00.000Z"}"#)
  }

  @Test func whatIsOverwrittenIsNoOperation() throws {
    let harness = StageHarness()
    let line = try harness.explain(
      #"{"identifiers":{"custom_id":"u"},"time":\#(Self.time),"attributes":{"A":"","b":1,"-":1,"url(a)":"x://y","-":2}}"#
    )
    #expect(line.value["operations"]?.items.map { $0["key"]?.text } == ["b", "url(a)", "-"])
    #expect(harness.unit.batch.operations.count == 3)
  }

  @Test func overwriteIsAClear() throws {
    let harness = StageHarness()
    for (overwrite, operations) in [
      ("true", ["*", "a"]), ("false", ["a"]), ("null", ["a"]), ("1", ["*", "a"]),
      ("\"true\"", ["*", "a"]),
    ] {
      for line in [
        #"{"id":"u","time":\#(Self.time),"update":{"overwrite":\#(overwrite),"values":{"a":1}}}"#,
        #"{"identifiers":{"custom_id":"u"},"time":\#(Self.time),"overwrite":\#(overwrite),"attributes":{"a":1}}"#,
      ] {
        let found = try harness.explain(line)
        #expect(found.value["operations"]?.items.map { $0["key"]?.text } == operations, "\(line)")
        let isGood = overwrite != "1" && overwrite != "\"true\""
        #expect(found.codes == (isGood ? [] : ["wrong_type"]), "\(line)")
        #expect((found.value["canonical"]?["overwrite"] != nil) == (overwrite == "true"), "\(line)")
      }
    }
  }

  @Test func whatIsNoObjectIsOneOperation() throws {
    let harness = StageHarness()
    for line in [
      #"{"id":"u","time":\#(Self.time),"update":[]}"#,
      #"{"id":"u","time":\#(Self.time),"update":{"values":1}}"#,
      #"{"identifiers":{"custom_id":"u"},"time":\#(Self.time),"attributes":"x"}"#,
    ] {
      let found = try harness.explain(line)
      #expect(found.reasons == ["operation:0 attributes bad_attributes"], "\(line)")
      #expect(found.value["operations"]?.items.map { $0["key"]?.text } == ["attributes"], "\(line)")
    }
  }

  @Test func linksAndEmptyRecords() throws {
    let harness = StageHarness()
    for (line, code) in [
      (#"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":\#(Self.time)}"#, nil),
      (#"{"id":"u","install_id":"i","time":\#(Self.time),"update":{}}"#, nil),
      (
        #"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":\#(Self.time),"attributes":{},"events":[]}"#,
        nil
      ),
      (#"{"identifiers":{"custom_id":"u","installation_id":"i"}}"#, "empty_record"),
      (#"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":"x"}"#, "empty_record"),
      (#"{"identifiers":{"custom_id":"u"},"time":\#(Self.time)}"#, "empty_record"),
      (#"{"id":"u","install_id":"i","time":\#(Self.time),"events":[]}"#, "empty_record"),
      (#"{"identifiers":{"custom_id":"u"},"attributes":{}}"#, "empty_record"),
      (
        #"{"identifiers":{"custom_id":"u"},"attributes":[],"time":\#(Self.time)}"#, "bad_attributes"
      ),
      (#"{"identifiers":{"custom_id":"u"},"events":{}}"#, "bad_events"),
    ] as [(String, String?)] {
      #expect(try harness.explain(line).codes == (code.map { [$0] } ?? []), "\(line)")
    }
  }
}
