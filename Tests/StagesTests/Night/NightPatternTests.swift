import Pipeline
import TestSupport
import Testing

@testable import Jobs

@Suite struct NightPatternTests {
  private static let day = Day(of: 1_717_200_000_000)

  @Test func aDateHasAPath() throws {
    for (pattern, path, base) in [
      ("logs/%Y-%m-%d", "logs/2024-06-01", "logs"), ("%Y%m%d", "20240601", "."),
      ("/a/%Y/%m/%d", "/a/2024/06/01", "/a"), ("/%Y/%m-%d/x", "/2024/06-01/x", "/"),
      ("a%%b/n-%d.%m.%Y", "a%b/n-01.06.2024", "a%b"),
      ("../é/%Y/%Y-%m-%d.ndjson.zst", "../é/2024/2024-06-01.ndjson.zst", "../é"),
    ] {
      let pattern = try NightPattern(pattern)
      #expect(pattern.path(of: Self.day) == path)
      #expect(pattern.base == base)
    }
  }

  @Test func whatIsWrongIsNamed() {
    for (pattern, words) in [
      ("logs", "has no %Y"), ("%Y-%d", "has no %m"), ("%Y-%m", "has no %d"),
      ("%Y-%m-%d/%H", "has %H: only"), ("%Y-%m-%d%", "nothing behind it"),
      ("%%Y-%m-%d", "has no %Y"), ("%Y-%m-%d/", "ends with a slash"), ("%y%m%d", "has %y"),
    ] {
      let problem = #expect(throws: NightPattern.Problem.self) { try NightPattern(pattern) }
      #expect(problem?.text.contains(words) == true, "\(pattern): \(problem?.text ?? "none")")
    }
  }

  @Test func directoriesOfThePatternAreFound() throws {
    let scratch = try ScratchDirectory()
    for name in [
      "a/2024/06/01/x", "a/2024/06/30/x", "a/2024/06/31/x", "a/2024/6/02/x", "a/2024/07",
      "a/2024-06/03",
      "a/0000/01/01/x", "a/2025/01/1x/x", "b/2024/2024-06-01/x", "b/2024/2023-06-02/x",
      "b/2023/2023-06-02/x", "b/current",
    ] { try scratch.write([], to: name) }
    func days(_ pattern: String) throws -> [String] {
      try NightPattern(scratch(pattern)).days(.real, doing: "looking").map(\.text)
    }
    #expect(try days("a/%Y/%m/%d") == ["2024-06-01", "2024-06-30"])
    #expect(try days("b/%Y/%Y-%m-%d") == ["2023-06-02", "2024-06-01"])
    #expect(try days("a/%Y/%m/%d/x") == ["2024-06-01", "2024-06-30"])
    #expect(try days("a/%Y/%m/%d/out") == [])
    #expect(try days("b/%Y/x-%Y-%m-%d") == [])
    #expect(try days("none/%Y-%m-%d") == [])
  }

  /// Every day is found again by its path.
  @Test func pathsLeadBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let scratch = try ScratchDirectory()
    for (number, form) in ["%Y%m%d", "%d/%m/%Y", "x%%-%Y-%m/y%d"].enumerated() {
      let pattern = try NightPattern(scratch("\(number)/\(form)"))
      let days = (0..<20).map { _ in
        Day(of: 0).advanced(by: Int.random(in: -700_000...2_900_000, using: &random))
      }
      for day in days {
        let path = pattern.path(of: day).dropFirst(scratch.path.count + 1)
        try scratch.write([], to: "\(path)/file")
      }
      #expect(try pattern.days(.real, doing: "looking") == Set(days).sorted(), "seed \(seed)")
    }
  }
}
