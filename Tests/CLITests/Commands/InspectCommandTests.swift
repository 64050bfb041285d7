import TestSupport
import Testing

/// `eventmill inspect`: what is printed, and exit codes.
@Suite struct InspectCommandTests {
  private static let line =
    #"{"key":"custom:u","events":{"ad_seen":{"last":1717200000000}},"last":1717200000000}"#

  private func inspect(_ arguments: [String]) throws -> RunProcess.Result {
    let directory = try ScratchDirectory()
    let log = ["u", "v"].map { id in
      #"{"custom_id":"\#(id)","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
    }
    try directory.write(Array(log.joined().utf8), to: "log.ndjson")
    let run = try RunProcess.eventmill(["run", "--out", "out", "log.ndjson"], directory: directory)
    #expect(run.status == 0)
    return try RunProcess.eventmill(["inspect"] + arguments, directory: directory)
  }

  @Test func theStateOfAllKeys() throws {
    let result = try inspect(["--state", "out"])
    #expect(result.status == 0)
    #expect(
      result.lines.map(String.init) == [
        Self.line, Self.line.replacing("custom:u", with: "custom:v"),
      ])
  }

  @Test func theStateOfOneKey() throws {
    let known = try inspect(["--state", "out", "custom:u"])
    #expect(known.status == 0 && known.lines.map(String.init) == [Self.line])
    let unknown = try inspect(["--state", "out", "custom:w"])
    #expect(unknown.status == 1 && unknown.output.isEmpty)
    #expect(unknown.errors == "the state of out does not know custom:w\n")
    let none = try inspect(["--state", "out", "w"])
    #expect(none.status == 2)
    #expect(
      none.errors == "error: inspecting out: \"w\" is no key of a state; "
        + "write custom:ID, install:ID or anonymous:DIGITS\n")
  }

  @Test func whatToInspectHasToBeSaid() throws {
    let result = try inspect(["out"])
    #expect(result.status == 2)
    #expect(
      result.errors == "error: reading the command line: inspect needs --state; "
        + "see eventmill inspect --help\n")
  }
}
