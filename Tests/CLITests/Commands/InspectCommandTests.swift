import Pipeline
import TestSupport
import Testing

/// `eventmill inspect`: what is printed, and exit codes.
@Suite struct InspectCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  private func write(_ lines: [String], to name: String) throws {
    try directory.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  /// A v1 line of an event.
  private static func seen(_ who: String = "u", _ name: String = "seen", id: String = "custom_id")
    -> String
  { #"{"\#(id)":"\#(who)","name":"\#(name)","time":"2024-06-01T00:00:00"}"# }

  // MARK: State

  @Test func theState() throws {
    try write([Self.seen(), Self.seen("v")], to: "log.ndjson")
    try succeed("run --out out log.ndjson")
    let line =
      #"{"key":"custom:u","days":["2024-06-01"],"events":{"seen":{"last":1717200000000}},"#
      + #""last":1717200000000}"# + "\n"
    let all = try succeed("inspect --state out")
    #expect(all.text == line + line.replacing("custom:u", with: "custom:v"))
    #expect(try succeed("inspect --state out custom:u").text == line)
    let unknown = try expect(1, "inspect --state out custom:w")
    #expect(unknown.output.isEmpty)
    #expect(unknown.errors == "the state of out does not know custom:w\n")
    let object = try expect(1, "inspect --json --state out custom:w")
    #expect(object.errors.isEmpty)
    #expect(object.text == #"{"id":"custom:w","published":false}"# + "\n")
    try expect(
      2, "inspect --state out w",
      "error: inspecting out: \"w\" is not a key of a state; "
        + "write custom:ID, install:ID or anonymous:DIGITS\n")
    try expect(
      2, "inspect out",
      "error: reading the command line: inspect needs the id of a person or of an "
        + "installation; name one after the directory, find one with --where KEY=VALUE, or write "
        + "--state for the state that the next night continues\n")
    for words in [
      "--state out custom:u custom:v", "--why --state out", "--why out u --history log.ndjson",
      "--why out", "out u --history", "out u --where a=b",
    ] { try expect(2, "inspect \(words)") }
  }

  // MARK: Profiles

  private static let phone = "42C5684B-0785-46D0-A14B-DDC74734B625"
  private static let located =
    #"{"identifiers":{"custom_id":"u","installation_id":"\#(phone)"},"time":"2024-06-01T09:00:00Z","location":{"latitude":48.85,"longitude":2.35},"opted_out":true}"#

  /// A person with all that a profile may have, and others.
  @Test func profiles() throws {
    try write(
      [
        Self.located,
        #"{"identifiers":{"custom_id":"u"},"attributes":{"age":26,"city":"Lyon","tags":["b","a"]},"time":"2024-06-01T10:00:00Z"}"#,
        #"{"identifiers":{"custom_id":"u"},"events":[{"name":"bought","time":"2024-06-01T11:00:00Z","attributes":{"$label":"toys","$tags":["a"],"items":[{"n":1},{"n":2}]}}]}"#,
        #"{"custom_id":"u","name":"seen","time":"2024-05-01T11:00:00.250"}"#,
        #"{"custom_id":"install:u","name":"seen","time":"2024-06-03T11:00:00"}"#,
        #"{"installation_id":"u","name":"seen","time":"2024-06-03T11:00:00"}"#,
        #"{"custom_id":"wild\u001b[31m\u202e","name":"seen","time":"2024-06-03T10:59:30"}"#,
      ], to: "log.ndjson")
    try succeed("run --out out --max-rejects 100% log.ndjson")
    let shown = try succeed("inspect out u \(Self.phone.lowercased()) install:u")
    #expect(try Golden.difference(shown.text, from: "inspect.txt") == nil)
    // What cannot be seen does nothing to a terminal.
    #expect(
      try succeed("inspect out wild\u{1B}[31m\u{202E}").lines.first
        == #"person wild\u{1B}[31m\u{202E}"#)
    let unknown = try expect(1, "inspect out u nobody")
    #expect(unknown.lines.first == "person u" && unknown.errors == "out does not know nobody\n")
    // It was a note, although it is a result.
    for question in ["", "--why", "--history log.ndjson"] {
      let result = try expect(1, "inspect --json out nobody \(question)")
      #expect(result.lines.first == #"{"id":"nobody","published":false}"#)
      #expect(!result.errors.contains("nobody"))
    }
  }

  // MARK: Questions

  /// Two nights about a person who is named in every way.
  @Test func questionsAreAnswered() throws {
    try write(
      [
        #"{"installation_id":"\#(Self.phone.lowercased())","name":"seen","time":"2024-05-01T11:00:00.250","attributes":{"page":1}}"#,
        #"{"identifiers":{"installation_id":"\#(Self.phone)"},"attributes":{"city":"Nice","age":20},"time":"2024-05-02T09:00:00Z"}"#,
        Self.located,
        #"{"identifiers":{"custom_id":"u"},"attributes":{"age":26,"city":"Lyon","tags":["b","a"],"old":1},"time":"2024-06-01T10:00:00Z"}"#,
        #"{"id":"e1","custom_id":"u","name":"bought","time":"2024-06-01T11:00:00","attributes":{"price":3}}"#,
        #"{"custom_id":"u","name":"no name","time":"2024-06-01T11:00:00"}"#,
        #"{"custom_id":"u","installation_id":"a b","name":"seen","time":"2024-06-01T12:00:00"}"#,
      ], to: "1.ndjson")
    try write(
      [
        #"{"id":"e1","custom_id":"u","name":"bought","time":"2024-06-01T11:00:00","attributes":{"price":4}}"#,
        #"{"identifiers":{"custom_id":"u"},"overwrite":true,"attributes":{"age":27,"tags":{"$add":["c"],"$remove":["a"]}},"time":"2024-06-01T10:00:00Z"}"#,
        #"{"identifiers":{"custom_id":"u"},"attributes":{"city":null,"home":{}},"time":"2024-06-02T10:00:00Z"}"#,
        #"{"identifiers":{"custom_id":"v","installation_id":"\#(Self.phone)"},"time":"2024-06-02T12:00:00Z"}"#,
        #"{"custom_id":"w","name":"seen","time":"2024-06-02T12:00:00"}"#,
      ], to: "2.ndjson")
    let options = "--max-rejects 100% --dedupe-days 7"
    try succeed(
      "run \(options) --out out-1 1.ndjson", "run \(options) --out out-2 --previous out-1 2.ndjson")
    for (file, words) in [
      ("why.txt", "out-2 u --why --logs 1.ndjson 2.ndjson"),
      ("why.ndjson", "--json out-2 u --why --logs 1.ndjson 2.ndjson"),
      ("why-state.txt", "out-2 \(Self.phone.lowercased()) --why"),
      ("history.txt", "out-2 u --history 1.ndjson 2.ndjson"),
      ("history.ndjson", "--json out-2 u --history 1.ndjson 2.ndjson"),
    ] {
      let result = try succeed("inspect \(words)")
      #expect(try Golden.difference(result.text, from: file) == nil)
      for line in file.hasSuffix("ndjson") ? result.lines : [] {
        _ = try NaiveJSON(parsing: String(line))
      }
    }
    // Who is unknown may have a history.
    #expect(
      try objects("inspect out-1 w --history 2.ndjson").map { $0["outcome"]?.text } == [
        nil, "unread", "unread",
      ])
    let unknown = try expect(1, "inspect --json out-1 nobody --history 2.ndjson")
    #expect(unknown.lines.count == 2, "the id and the log alone")
    let why = try expect(1, "inspect --why out-1 w")
    #expect(why.output.isEmpty && why.errors == "nothing of w is published in out-1\n")
  }

  /// The answer lacks the lost part of a damaged log.
  @Test func logsThatAreLostInPart() throws {
    let line = #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":"x"}"# + "\n"
    try directory.write(line, to: "whole.ndjson")
    var frame = ByteBuffer()
    try withByteView(of: line) { try ZstdEncoder(level: 1).compress($0, into: &frame) }
    try directory.write(frame.view.array.dropLast(3), to: "cut.zst")
    try expect(4, "run --keep-going --out out whole.ndjson cut.zst")
    for question in ["--why --logs", "--history"] {
      let words = "inspect out u \(question) whole.ndjson cut.zst"
      try expect(4, words, "the rest is lost: reading the input cut.zst")
      let last = try #require(objects(words, expect: 4).last)
      let lost = question == "--history" ? last : try #require(last["lost"]?[0])
      #expect(lost["source"]?.text == "cut.zst" && lost["why"] != nil && lost["offset"] != nil)
    }
  }

  /// Logs that an output has not read, by name and content, were not accepted by it.
  @Test func logsThatTheOutputWasMadeWithout() throws {
    let first = [Self.seen(), Self.seen("v")]
    for name in ["1.ndjson", "copy.ndjson"] { try write(first, to: name) }
    try write([Self.seen("u", "paid"), Self.seen("v", "paid")], to: "2.ndjson")
    try succeed(
      "run --out out-1 1.ndjson", "run --out out-2 --previous out-1 2.ndjson copy.ndjson")
    try write([Self.seen("u", "refunded")], to: "late.ndjson")
    func history(_ logs: String) throws -> [String] {
      try objects("inspect out-2 u --history \(logs)").map { part in
        [part["source"], part["scope"], part["outcome"], part["as"]]
          .compactMap { $0?.text }.joined(separator: " ")
      }
    }
    #expect(
      try history("1.ndjson 2.ndjson copy.ndjson late.ndjson") == [
        "1.ndjson event accepted", "2.ndjson event accepted", "copy.ndjson event skipped",
        "late.ndjson event unread", "copy.ndjson input skipped 1.ndjson",
        "late.ndjson input unread",
      ])
    // Strict one night and lenient the next: what an earlier night has taken is not known.
    #expect(
      try run("inspect out-2 u --history 1.ndjson 2.ndjson").errors
        == "1.ndjson was read by an earlier night, whose options are unknown: what is "
        + "shown follows those of out-2\n")
    // A log may be moved, and may grow.
    #expect(try history("copy.ndjson") == ["copy.ndjson event accepted"])
    try write(first + [Self.seen()], to: "1.ndjson")
    #expect(
      try history("1.ndjson") == [
        "1.ndjson event accepted", "1.ndjson event unread", "1.ndjson input unread",
      ])
    let why = try run("inspect out-2 u --why 2.ndjson late.ndjson")
    #expect(
      why.errors == "out-2 was made without late.ndjson: it is not among the inputs, or has "
        + "changed since\n")
    #expect(
      try #/refunded  not published\n +unknown .* its log is not among the inputs/#.firstMatch(
        in: why.text) != nil, "\(why.text)")
  }

  /// An opt-out suppresses nothing in an output that was made without its log.
  @Test func optOutsThatTheOutputWasMadeWithout() throws {
    let event = Self.seen("D", id: "installation_id")
    let optOut =
      #"{"identifiers":{"installation_id":"D"},"time":"2024-05-01T00:00:00Z","opted_out":true}"#
    try directory.write(event, to: "1.ndjson")
    try directory.write(optOut, to: "late.ndjson")
    func outcomes(_ output: String) throws -> [String?] {
      try objects("inspect \(output) D --history 1.ndjson late.ndjson").map { $0["outcome"]?.text }
    }
    try succeed(
      "run --honor-opt-out --out without 1.ndjson",
      "run --honor-opt-out --out with 1.ndjson late.ndjson")
    #expect(try outcomes("without") == ["unread", "accepted", "unread"])
    #expect(try outcomes("with") == ["applied", "suppressed"])
    try write([event, optOut], to: "1.ndjson")
    try directory.write([], to: "late.ndjson")
    let grown = try outcomes("without")
    #expect(grown.contains("accepted") && !grown.contains("suppressed"), "\(grown)")
  }

  private static func link(_ who: String, _ time: String) -> String {
    #"{"identifiers":{"custom_id":"\#(who)","installation_id":"D"},"time":"\#(time)"}"#
  }

  /// A line that only links is suppressed like others, and shown.
  @Test func linksAreSuppressedInTheOpen() throws {
    try write(
      [
        #"{"identifiers":{"installation_id":"D"},"time":"2024-06-01T10:00:00Z","opted_out":true}"#,
        Self.link("kim", "2024-06-01T11:00:00Z"),
      ], to: "a.ndjson")
    try directory.write(#"{"custom_id":"kim"}"#, to: "ids")
    for option in ["--honor-opt-out", "--requests ids --erased-at 2024-07-01"] {
      try succeed("run --replace --quiet \(option) --out out a.ndjson")
      let links = try objects("inspect out D --history a.ndjson")
        .filter { $0["scope"]?.text == "link" }
      #expect(links.map { $0["outcome"]?.text } == ["suppressed"], "\(option)")
      #expect(links.map { $0["line"]?.integer } == [2], "\(option)")
    }
  }

  /// A line that links an installation to a person is a part of the person's history, even if the
  /// installation belongs to another person now, and whatever else the line says.
  @Test func linksToAPersonWhoLostThem() throws {
    try write(
      [
        Self.link("u1", "2024-05-01T00:00:00Z"), Self.link("u0", "2024-05-02T00:00:00Z"),
        #"{"identifiers":{"custom_id":"u0","installation_id":"D"},"events":[{"name":"seen","time":"2024-05-03T00:00:00Z"}]}"#,
      ], to: "c.ndjson")
    try succeed("run --out out c.ndjson")
    let parts = try objects("inspect out u0 --history c.ndjson")
    #expect(
      parts.map { "\($0["line"]?.integer ?? 0) \($0["scope"]?.text ?? "")" } == [
        "2 link", "3 event", "3 link",
      ])
    #expect(parts[0]["installation"]?.text == "install:D" && parts[0]["key"]?.text == "custom:u0")
    let answer = try #require(objects("inspect out u0 --why --logs c.ndjson").first)
    let installation = try #require(answer["installations"]?[0])
    #expect(installation["name"]?.text == "install:D" && installation["published"]?.text == "u1")
    let statements = installation["statements"]?.items ?? []
    #expect(statements.map { $0["outcome"]?.text } == ["won", "lost", "lost"])
    #expect(statements.map { $0["value"]?.text } == ["u1", "u0", "u0"])
    #expect(statements[1]["why"]?.text == "an earlier link counts")
  }

  @Test func theHistoryOfAnEventWithoutAReadableTime() throws {
    let times = ["yesterday", "2024-10-01", "12345-01-01T00:00:00Z", "0000-01-01T00:00:00Z"]
    try write(
      times.map { #"{"custom_id":"a","name":"b","time":"\#($0)"}"# } + [Sample.event("a", "b")],
      to: "log.ndjson")
    try succeed("run -q --max-rejects 100% --out out log.ndjson")
    let history = try succeed("inspect out a --history log.ndjson")
    #expect(history.lines.count { $0.contains("rejected") } >= times.count, "\(history.text)")
    #expect(history.text.contains("accepted"))
  }
}
