import Stages
import Testing

@Suite struct EventCountLinesTests {
  @Test func linesAndTableAgree() throws {
    let run = try MergeRun(shards: 3)
    let start = 1_714_521_600_000
    try run.apply([
      Step(kind: .event, key: "custom:u", name: "b", time: start, dialect: .v1),
      Step(kind: .event, key: "", name: "a", time: start + 5, id: "1"),
      Step(kind: .event, key: "", name: "a", time: start + 5, id: "1", dialect: .v1),
    ])
    let published = try run.publish()
    #expect(
      published.counts == """
        {"name":"a","count":1,"first_seen":"2024-05-01T00:00:00.005Z",\
        "last_seen":"2024-05-01T00:00:00.005Z","profiles":0,"duplicates":1,\
        "dialects":{"v1":1,"v2":1}}
        {"name":"b","count":1,"first_seen":"2024-05-01T00:00:00.000Z",\
        "last_seen":"2024-05-01T00:00:00.000Z","profiles":1,"duplicates":0,"dialects":{"v1":1}}

        """)
    #expect(
      published.csv == """
        name,count,first_seen,last_seen,profiles,duplicates
        a,1,2024-05-01T00:00:00.005Z,2024-05-01T00:00:00.005Z,0,1
        b,1,2024-05-01T00:00:00.000Z,2024-05-01T00:00:00.000Z,1,0

        """)
  }

  @Test func timesThatAreNotKnownAreLeftOutAndSourceNamesStandAtTheEnd() throws {
    let run = try MergeRun(shards: 2)
    let start = 1_714_521_600_000
    func step(_ name: String, _ time: Int, _ sourceName: String = "", key: String = "") -> Step {
      Step(kind: .event, key: key, name: name, time: time, sourceName: sourceName)
    }
    try run.apply([
      step("a", EventTime.absent, "A \"1\"", key: "custom:u"), step("a", EventTime.absent),
      step("b", EventTime.absent, "B"), step("b", start, "B/", key: "install:i"),
    ])
    let published = try run.publish()
    #expect(
      published.counts == #"""
        {"name":"a","count":2,"profiles":1,"duplicates":0,"dialects":{"v2":2},"source_names":["A \"1\""]}
        {"name":"b","count":2,"first_seen":"2024-05-01T00:00:00.000Z",\#
        "last_seen":"2024-05-01T00:00:00.000Z","profiles":1,"duplicates":0,\#
        "dialects":{"v2":2},"source_names":["B","B/"]}

        """#)
    #expect(
      published.csv == """
        name,count,first_seen,last_seen,profiles,duplicates
        a,2,,,1,0
        b,2,2024-05-01T00:00:00.000Z,2024-05-01T00:00:00.000Z,1,0

        """)
    #expect(
      published.profiles == [
        #"{"id":"u","kind":"person","identifiers":{"custom_id":"u"},"#
          + #""events":{"a":{"count":1}}}"# + "\n"
          + #"{"id":"i","kind":"installation","identifiers":{"installation_id":"i"},"#
          + #""events":{"b":{"count":1,"#
          + #""first_seen":"2024-05-01T00:00:00.000Z","last_seen":"2024-05-01T00:00:00.000Z"}},"#
          + #""first_seen":"2024-05-01T00:00:00.000Z","last_seen":"2024-05-01T00:00:00.000Z"}"#
          + "\n"
      ])
  }
}
