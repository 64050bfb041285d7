import Stages
import Testing

@Suite struct EventCountLinesTests {
  /// Times that are unknown are left out, and source names are at the end.
  @Test func linesAndTableAgree() throws {
    let run = try MergeRun(MergeSettings(shards: 3))
    let start = 1_714_521_600_000
    func step(
      _ name: String, _ time: Int, _ sourceName: String = "", key: String = "", id: String = "",
      _ dialect: Dialect = .v2
    ) -> Step {
      Step(
        kind: .event, key: key, name: name, time: time, id: id, dialect: dialect,
        sourceName: sourceName)
    }
    let untimed = EventTime.absent
    try run.apply([
      step("b", start, key: "custom:u", .v1), step("a", start + 5, id: "1"),
      step("a", start + 5, id: "1", .v1),
      step("c", untimed, "A \"1\"", key: "custom:u"), step("c", untimed),
      step("d", untimed, "B"), step("d", start, "B/", key: "install:i"),
    ])
    let published = try run.publish()
    #expect(
      published.counts == #"""
        {"name":"a","count":1,"first_seen":"2024-05-01T00:00:00.005Z",\#
        "last_seen":"2024-05-01T00:00:00.005Z","profiles":0,"duplicates":1,\#
        "dialects":{"v1":1,"v2":1}}
        {"name":"b","count":1,"first_seen":"2024-05-01T00:00:00.000Z",\#
        "last_seen":"2024-05-01T00:00:00.000Z","profiles":1,"duplicates":0,"dialects":{"v1":1}}
        {"name":"c","count":2,"profiles":1,"duplicates":0,"dialects":{"v2":2},"source_names":["A \"1\""]}
        {"name":"d","count":2,"first_seen":"2024-05-01T00:00:00.000Z",\#
        "last_seen":"2024-05-01T00:00:00.000Z","profiles":1,"duplicates":0,\#
        "dialects":{"v2":2},"source_names":["B","B/"]}

        """#)
    #expect(
      published.csv == """
        name,count,first_seen,last_seen,profiles,duplicates
        a,1,2024-05-01T00:00:00.005Z,2024-05-01T00:00:00.005Z,0,1
        b,1,2024-05-01T00:00:00.000Z,2024-05-01T00:00:00.000Z,1,0
        c,2,,,1,0
        d,2,2024-05-01T00:00:00.000Z,2024-05-01T00:00:00.000Z,1,0

        """)
  }
}
