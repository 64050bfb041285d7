import Testing

@testable import eventmill

@Suite struct TextTableTests {
  @Test func columnsAreAligned() {
    var table = TextTable([("name", .left), ("count", .right), ("seen", .left)])
    table.add(["ad_seen", "3", "today"])
    table.add(["café", "1,234,567", "x"])
    #expect(
      table.lines { "<\($0)>" } == [
        "<name         count  seen>",
        "ad_seen          3  today",
        "café     1,234,567  x",
      ])
  }

  @Test func withoutRowsThereAreTitles() {
    #expect(TextTable([("a", .left), ("b", .right)]).lines() == ["a  b"])
  }
}
