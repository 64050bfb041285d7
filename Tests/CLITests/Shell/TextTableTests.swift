import Testing

@testable import eventmill

@Suite struct TextTableTests {
  @Test func columnsAreAligned() {
    var table = TextTable([("name", .left), ("count", .right), ("seen", .left)])
    #expect(table.lines() == ["name  count  seen"])
    table.add(["ad_seen", "3", "today"])
    table.add(["café", "1,234,567", "x"])
    #expect(
      table.lines { "<\($0)>" } == [
        "<name         count  seen>", "ad_seen          3  today", "café     1,234,567  x",
      ])
  }

  @Test func linesFitTheTerminal() {
    var table = TextTable([
      ("name", .left), ("count", .right), ("first seen", .left), ("path", .left),
    ])
    let name = String(repeating: "n", count: 30)
    let path = String(repeating: "p", count: 60)
    table.add([name, "1,234,567,890", "2024-06-01T00:00:00.000Z", path])
    for width in 20...150 {
      let lines = table.lines(width: width)
      let natural = 30 + 13 + 24 + 60 + 6
      // Numbers and a few characters of each text are there in the narrowest terminal.
      let longest = max(min(width, natural), 8 + 13 + 8 + 8 + 6)
      #expect(lines[1].count == longest, "\(width)")
      #expect(lines[0].count <= longest && lines[1].contains("1,234,567,890"))
      // Times are cut last.
      #expect(lines[1].contains("2024-06-01T00:00:00.000Z") == (width >= 8 + 13 + 24 + 24 + 6))
    }
    #expect(table.lines(width: nil) == table.lines(width: 1000))
  }

  /// Of a path the end is worth as much as the beginning.
  @Test func locationsAreCutInTheirMiddle() {
    var table = TextTable([("file", .location)])
    table.add(["logs/2024/a.ndjson"])
    #expect(table.lines(width: 10)[1] == "logs/…json")
  }

  @Test func whatIsBadStandsOut() {
    var table = TextTable([("a", .left), ("b", .right), ("c", .left)])
    table.add(["x", "1", "y"], bad: [1, 2])
    table.add(["xx", "22", "yy"])
    #expect(table.lines(bad: { "<\($0)>" }) == ["a    b  c", "x    <1>  <y>", "xx  22  yy"])
  }
}
