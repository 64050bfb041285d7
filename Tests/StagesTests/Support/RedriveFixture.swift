@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Runs, and redrives of their rejects.
struct RedriveFixture {
  let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// Reprocesses rejects, and verifies what was published. `inputs` and `output` are names in the
  /// directory.
  @discardableResult
  func redrive(
    _ inputs: [String], to output: String, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> RedriveReport {
    var options = fixture.options(inputs, to: output)
    change(&options)
    let summary = try RedriveJob(options.read, options.publish, control: JobControl()).run()
    let problems = try fixture.problems(of: options.publish.output)
    #expect(problems.isEmpty, "\(output)")
    return summary
  }

  func failure(
    _ inputs: [String], to output: String, _ change: (inout RunOptions) -> Void = { _ in }
  ) -> Failure? {
    Failure.of(try redrive(inputs, to: output, change))
  }

  func lines(_ path: String) throws -> [String] { try fixture.textLines(path) }

  func redriven(_ output: String) throws -> [String] { try lines("\(output)/\(RunFiles.redriven)") }

  func rejects(_ output: String) throws -> [NaiveJSON] {
    try fixture.lines("\(output)/\(RunFiles.rejects)")
  }

  /// Checks that two outputs say the same of all that was read.
  func expectSameSnapshot(_ one: String, _ other: String) throws {
    let (found, expected) = (try fixture.snapshot(of: one), try fixture.snapshot(of: other))
    #expect(found.keys.sorted() == expected.keys.sorted())
    for (path, bytes) in expected { #expect(found[path] == bytes, "\(path)") }
  }

  /// Writes the entries of the rejects in `output`, each as `edit` changes it, as `name`.
  func edit(_ output: String, as name: String, _ edit: (String) -> String) throws {
    try fixture.log(lines("\(output)/\(RunFiles.rejects)").map(edit), name)
  }

  /// An entry about the line `raw`, which is a JSON string with its quotes.
  static func entry(
    _ scope: String, _ index: Int = 0, line: Int = 1, source: String = "a", raw: String,
    rest: String = ""
  ) -> String {
    "{\"source\":\"\(source)\",\"line\":\(line),\"offset\":\(line * 100),\"scope\":\"\(scope)\","
      + "\"index\":\(index),\"raw\":\(raw)\(rest)}"
  }
}

/// Lines that strict refuses in whole or in part and lenient repairs, and some that both refuse.
struct RepairableLog: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func lines(_ count: Int) -> [String] { (0..<count).map { _ in line() } }

  private mutating func event() -> String {
    let faults = [
      "\"label\":17", "\"tags\":\"a,b\"", "\"tags\":[\"A\",1,\"a\"]",
      "\"attributes\":{\"bad key\":1,\"ok\":2}", "\"attributes\":{\"list\":[1],\"x\":\"y\"}",
      "\"attributes\":\"{}\"", "\"label\":\"fine\"", "\"label\":\" \"", "\"id\":\"\"",
    ]
    let id = any(3) == 0 ? "" : "\"id\":\"e\(any(20))\","
    let extra = any(9) == 0 ? ",\"amount\":1" : ""
    let time =
      switch any(12) {
      case 0: "\"time\":1714641300,"
      case 1, 2, 3: ""
      default: "\"time\":\"2024-05-0\(1 + any(9))T0\(any(10)):00:00Z\","
      }
    return "{\(id)\"name\":\"E.Event_\(any(5))\",\(time)\(faults[any(faults.count)])\(extra)}"
  }

  private mutating func line() -> String {
    let owner =
      ["\"id\":\"user-\(any(6))\"", "\"custom_id\":\"user-\(any(6))\""][any(2)]
      + (any(2) == 0 ? ",\"installation_id\":\"phone-\(any(8))\"" : "")
    switch any(4) {
    case 0:
      let clear = any(2) == 0 ? "\"overwrite\":true," : ""
      let time = any(9) == 0 ? "" : "\"time\":\"2024-05-0\(1 + any(9))T00:00:00Z\","
      return "{\(owner),\(time)\"update\":{\(clear)"
        + "\"values\":{\"u.age\":\(any(90)),\"u.bad key\":1,\"ut.roles\":\"a,b\"}}}"
    case 1:
      let event = event()
      return "{\"custom_id\":\"user-\(any(6))\"," + event.dropFirst()
    default:
      let events = (0...any(3)).map { _ in event() }
      return "{\(owner),\"events\":[\(events.joined(separator: ","))]}"
    }
  }
}
