import Pipeline
import TestSupport
import Testing

/// `eventmill inspect`: what is printed, and exit codes.
@Suite struct InspectCommandTests {
  private static let line =
    #"{"key":"custom:u","days":["2024-06-01"],"events":{"ad_seen":{"last":1717200000000}},"#
    + #""last":1717200000000}"#

  private func inspect(_ arguments: [String]) throws -> RunProcess.Result {
    let directory = try ScratchDirectory()
    let log = ["u", "v"].map { id in
      #"{"custom_id":"\#(id)","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
    }
    try directory.write(log.joined(), to: "log.ndjson")
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
    let json = try inspect(["--json", "--state", "out", "custom:w"])
    #expect(json.status == 1 && json.errors.isEmpty)
    #expect(json.text == #"{"id":"custom:w","published":false}"# + "\n")
    let none = try inspect(["--state", "out", "w"])
    #expect(none.status == 2)
    #expect(
      none.errors == "error: inspecting out: \"w\" is not a key of a state; "
        + "write custom:ID, install:ID or anonymous:DIGITS\n")
  }

  @Test func whatToInspectHasToBeSaid() throws {
    let result = try inspect(["out"])
    #expect(result.status == 2)
    #expect(
      result.errors
        == "error: reading the command line: inspect needs the id of a person or of an "
        + "installation; name one after the directory, find one with --where KEY=VALUE, or write "
        + "--state for the state that the next night continues\n")
    #expect(try inspect(["--state", "out", "custom:u", "custom:v"]).status == 2)
  }

  // MARK: - Profiles

  /// A run over the lines of a person with all that a profile may have, and of others.
  private func profiles(_ arguments: [String]) throws -> RunProcess.Result {
    let directory = try ScratchDirectory()
    let installation = "42C5684B-0785-46D0-A14B-DDC74734B625"
    let log = [
      #"{"identifiers":{"custom_id":"u","installation_id":"\#(installation)"},"time":"2024-06-01T09:00:00Z","location":{"latitude":48.85,"longitude":2.35},"opted_out":true}"#,
      #"{"identifiers":{"custom_id":"u"},"attributes":{"age":26,"city":"Lyon","tags":["b","a"]},"time":"2024-06-01T10:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"bought","time":"2024-06-01T11:00:00Z","attributes":{"$label":"toys","$tags":["a"],"items":[{"n":1},{"n":2}]}}]}"#,
      #"{"custom_id":"u","name":"seen","time":"2024-05-01T11:00:00.250"}"#,
      #"{"custom_id":"install:u","name":"seen","time":"2024-06-03T11:00:00"}"#,
      #"{"installation_id":"u","name":"seen","time":"2024-06-03T11:00:00"}"#,
      #"{"custom_id":"wild\u001b[31m\u202e","name":"seen","time":"2024-06-03T10:59:30"}"#,
    ].map { $0 + "\n" }
    try directory.write(log.joined(), to: "log.ndjson")
    let run = try RunProcess.eventmill(
      ["run", "--out", "out", "--max-rejects", "100%", "log.ndjson"], directory: directory)
    #expect(run.status == 0, "\(run.errors)")
    return try RunProcess.eventmill(["inspect"] + arguments, directory: directory)
  }

  @Test func profilesAsPeopleReadThem() throws {
    let result = try profiles(["out", "u", "42c5684b-0785-46d0-a14b-ddc74734b625", "install:u"])
    #expect(result.status == 0, "\(result.errors)")
    let difference = try Golden.difference(result.text, from: "inspect.txt")
    #expect(difference == nil)
  }

  @Test func whatCannotBeSeenDoesNotWorkOnATerminal() throws {
    let result = try profiles(["out", "wild\u{1B}[31m\u{202E}"])
    #expect(result.lines.first == #"person wild\u{1B}[31m\u{202E}"#)
    #expect(result.status == 0)
  }

  @Test func idsThatAreUnknown() throws {
    let result = try profiles(["out", "u", "nobody"])
    #expect(result.status == 1)
    #expect(result.lines.first == "person u")
    #expect(result.errors == "out does not know nobody\n")
  }

  /// It was a note, although it is a result.
  @Test(arguments: [[], ["--why"], ["--history", "log.ndjson"]])
  func idsThatAreUnknownInJSON(question: [String]) throws {
    let result = try profiles(["--json", "out", "nobody"] + question)
    #expect(result.status == 1)
    #expect(result.lines.first == #"{"id":"nobody","published":false}"#)
    #expect(!result.errors.contains("nobody"))
  }

  // MARK: - Questions

  private static let phone = "42C5684B-0785-46D0-A14B-DDC74734B625"

  /// Two nights about a person who is named in every way.
  private func nights() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    let phone = Self.phone
    let first = [
      #"{"installation_id":"\#(phone.lowercased())","name":"seen","time":"2024-05-01T11:00:00.250","attributes":{"page":1}}"#,
      #"{"identifiers":{"installation_id":"\#(phone)"},"attributes":{"city":"Nice","age":20},"time":"2024-05-02T09:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"u","installation_id":"\#(phone)"},"time":"2024-06-01T09:00:00Z","location":{"latitude":48.85,"longitude":2.35},"opted_out":true}"#,
      #"{"identifiers":{"custom_id":"u"},"attributes":{"age":26,"city":"Lyon","tags":["b","a"],"old":1},"time":"2024-06-01T10:00:00Z"}"#,
      #"{"id":"e1","custom_id":"u","name":"bought","time":"2024-06-01T11:00:00","attributes":{"price":3}}"#,
      #"{"custom_id":"u","name":"no name","time":"2024-06-01T11:00:00"}"#,
      #"{"custom_id":"u","installation_id":"a b","name":"seen","time":"2024-06-01T12:00:00"}"#,
    ]
    let second = [
      #"{"id":"e1","custom_id":"u","name":"bought","time":"2024-06-01T11:00:00","attributes":{"price":4}}"#,
      #"{"identifiers":{"custom_id":"u"},"overwrite":true,"attributes":{"age":27,"tags":{"$add":["c"],"$remove":["a"]}},"time":"2024-06-01T10:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"u"},"attributes":{"city":null,"home":{}},"time":"2024-06-02T10:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"v","installation_id":"\#(phone)"},"time":"2024-06-02T12:00:00Z"}"#,
      #"{"custom_id":"w","name":"seen","time":"2024-06-02T12:00:00"}"#,
    ]
    for (number, lines) in [first, second].enumerated() {
      let log = "\(number + 1).ndjson"
      try directory.write(lines.map { $0 + "\n" }.joined(), to: log)
      let previous = number == 0 ? [] : ["--previous", "out-1"]
      let run = try RunProcess.eventmill(
        ["run", "--max-rejects", "100%", "--dedupe-days", "7", "--out", "out-\(number + 1)"]
          + previous + [log], directory: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
    return directory
  }

  @Test(
    arguments: [
      ("why.txt", ["out-2", "u", "--why", "--logs", "1.ndjson", "2.ndjson"]),
      ("why.ndjson", ["--json", "out-2", "u", "--why", "--logs", "1.ndjson", "2.ndjson"]),
      ("why-state.txt", ["out-2", "42c5684b-0785-46d0-a14b-ddc74734b625", "--why"]),
      ("history.txt", ["out-2", "u", "--history", "1.ndjson", "2.ndjson"]),
      ("history.ndjson", ["--json", "out-2", "u", "--history", "1.ndjson", "2.ndjson"]),
    ])
  func questionsAreAnswered(_ file: String, _ words: [String]) throws {
    let result = try RunProcess.eventmill(["inspect"] + words, directory: nights())
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Golden.difference(result.text, from: file) == nil)
    if file.hasSuffix("ndjson") {
      for line in result.lines { _ = try NaiveJSON(parsing: String(line)) }
    }
  }

  /// The answer lacks the lost part of a damaged log.
  @Test func logsThatAreLostInPart() throws {
    let directory = try ScratchDirectory()
    let line = #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":"x"}"# + "\n"
    try directory.write(line, to: "whole.ndjson")
    var frame = ByteBuffer()
    try withByteView(of: line) { try ZstdEncoder(level: 1).compress($0, into: &frame) }
    try directory.write(frame.view.array.dropLast(3), to: "cut.zst")
    let logs = ["whole.ndjson", "cut.zst"]
    let run = try RunProcess.eventmill(
      ["run", "--keep-going", "--out", "out"] + logs, directory: directory)
    #expect(run.status == 4)
    for question in [["--why", "--logs"], ["--history"]] {
      let words = ["inspect", "out", "u"] + question + logs
      let result = try RunProcess.eventmill(words, directory: directory)
      #expect(result.status == 4)
      #expect(result.errors.contains("the rest is lost: reading the input cut.zst"))
      let json = try RunProcess.eventmill(words + ["--json"], directory: directory)
      #expect(json.status == 4)
      let last = try NaiveJSON(parsing: String(#require(json.lines.last)))
      let lost = question.count == 1 ? last : try #require(last["lost"]?[0])
      #expect(lost["source"]?.text == "cut.zst" && lost["why"] != nil && lost["offset"] != nil)
    }
  }

  /// Logs that an output has not read, by name and content, were not accepted by it.
  @Test func logsThatTheOutputWasMadeWithout() throws {
    let directory = try ScratchDirectory()
    func line(_ name: String, _ id: String = "u") -> String {
      #"{"custom_id":"\#(id)","name":"\#(name)","time":"2024-06-01T00:00:00"}"# + "\n"
    }
    let first = Array((line("seen") + line("seen", "v")).utf8)
    for name in ["1.ndjson", "copy.ndjson"] { try directory.write(first, to: name) }
    try directory.write((line("paid") + line("paid", "v")), to: "2.ndjson")
    for (output, words) in [
      ("out-1", ["1.ndjson"]), ("out-2", ["--previous", "out-1", "2.ndjson", "copy.ndjson"]),
    ] {
      let run = try RunProcess.eventmill(["run", "--out", output] + words, directory: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
    try directory.write(line("refunded"), to: "late.ndjson")
    func history(_ logs: [String]) throws -> [String] {
      let result = try RunProcess.eventmill(
        ["inspect", "--json", "out-2", "u", "--history"] + logs, directory: directory)
      #expect(result.status == 0, "\(result.errors)")
      return try result.lines.map { line in
        let part = try NaiveJSON(parsing: String(line))
        return [part["source"], part["scope"], part["outcome"], part["as"]]
          .compactMap { $0?.text }.joined(separator: " ")
      }
    }
    #expect(
      try history(["1.ndjson", "2.ndjson", "copy.ndjson", "late.ndjson"]) == [
        "1.ndjson event accepted", "2.ndjson event accepted", "copy.ndjson event skipped",
        "late.ndjson event unread", "copy.ndjson input skipped 1.ndjson",
        "late.ndjson input unread",
      ])
    // Strict one night and lenient the next: what an earlier night has taken is not known.
    let note = try RunProcess.eventmill(
      ["inspect", "out-2", "u", "--history", "1.ndjson", "2.ndjson"], directory: directory)
    #expect(
      note.errors == "1.ndjson was read by an earlier night, whose options are unknown: what is "
        + "shown follows those of out-2\n")
    // A log may be moved, and may grow.
    #expect(try history(["copy.ndjson"]) == ["copy.ndjson event accepted"])
    try directory.write(first + Array(line("seen").utf8), to: "1.ndjson")
    #expect(
      try history(["1.ndjson"]) == [
        "1.ndjson event accepted", "1.ndjson event unread", "1.ndjson input unread",
      ])
    let why = try RunProcess.eventmill(
      ["inspect", "out-2", "u", "--why", "2.ndjson", "late.ndjson"], directory: directory)
    #expect(
      why.errors == "out-2 was made without late.ndjson: it is not among the inputs, or has "
        + "changed since\n")
    #expect(
      try #/refunded  not published\n +unknown .* its log is not among the inputs/#.firstMatch(
        in: why.text) != nil, "\(why.text)")
  }

  /// An opt-out suppresses nothing in an output that was made without its log.
  @Test func optOutsThatTheOutputWasMadeWithout() throws {
    let directory = try ScratchDirectory()
    let time = #""time":"2024-05-02T00:00:00Z""#
    let who = #""identifiers":{"installation_id":"D"}"#
    try directory.write(#"{\#(who),"events":[{"name":"seen",\#(time)}]}"#, to: "1.ndjson")
    try directory.write(
      #"{\#(who),"time":"2024-05-01T00:00:00Z","opted_out":true}"#, to: "late.ndjson")
    func outcomes(_ output: String, made logs: [String], _ change: () throws -> Void = {}) throws
      -> [String?]
    {
      let run = try RunProcess.eventmill(
        ["run", "--honor-opt-out", "--out", output] + logs, directory: directory)
      #expect(run.status == 0, "\(run.errors)")
      try change()
      let history = try RunProcess.eventmill(
        ["inspect", "--json", output, "D", "--history", "1.ndjson", "late.ndjson"],
        directory: directory)
      return try history.lines.map { try NaiveJSON(parsing: String($0))["outcome"]?.text }
    }
    #expect(try outcomes("without", made: ["1.ndjson"]) == ["unread", "accepted", "unread"])
    #expect(try outcomes("with", made: ["1.ndjson", "late.ndjson"]) == ["applied", "suppressed"])
    let grown = try outcomes("grown", made: ["1.ndjson"]) {
      let lines = try directory.bytes("1.ndjson") + [0x0A] + directory.bytes("late.ndjson")
      try directory.write(lines, to: "1.ndjson")
      try directory.remove("late.ndjson")
      try directory.write([], to: "late.ndjson")
    }
    #expect(grown.contains("accepted") && !grown.contains("suppressed"), "\(grown)")
  }

  /// A line that only links is suppressed like others, and shown.
  @Test func linksAreSuppressedInTheOpen() throws {
    let directory = try ScratchDirectory()
    let log = [
      #"{"identifiers":{"installation_id":"D"},"time":"2024-06-01T10:00:00Z","opted_out":true}"#,
      #"{"identifiers":{"custom_id":"kim","installation_id":"D"},"time":"2024-06-01T11:00:00Z"}"#,
    ].map { $0 + "\n" }
    try directory.write(log.joined(), to: "a.ndjson")
    try directory.write(#"{"custom_id":"kim"}"#, to: "ids")
    for option in ["--honor-opt-out", "--requests ids --erased-at 2024-07-01"] {
      let run = try RunProcess.eventmill(
        "run --replace --quiet \(option) --out out a.ndjson".split(separator: " ").map(String.init),
        directory: directory)
      #expect(run.status == 0, "\(run.errors)")
      let history = try RunProcess.eventmill(
        ["inspect", "--json", "out", "D", "--history", "a.ndjson"], directory: directory)
      let links = try history.lines.map { try NaiveJSON(parsing: String($0)) }
        .filter { $0["scope"]?.text == "link" }
      #expect(links.map { $0["outcome"]?.text } == ["suppressed"], "\(option)")
      #expect(links.map { $0["line"]?.integer } == [2], "\(option)")
    }
  }

  /// A line that links an installation to a person is a part of the person's history, even if the
  /// installation belongs to another person now, and whatever else the line says.
  @Test func linksToAPersonWhoLostThem() throws {
    let directory = try ScratchDirectory()
    let log = [
      #"{"identifiers":{"custom_id":"u1","installation_id":"D"},"time":"2024-05-01T00:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"u0","installation_id":"D"},"time":"2024-05-02T00:00:00Z"}"#,
      #"{"identifiers":{"custom_id":"u0","installation_id":"D"},"events":[{"name":"seen","time":"2024-05-03T00:00:00Z"}]}"#,
    ].map { $0 + "\n" }
    try directory.write(log.joined(), to: "c.ndjson")
    let run = try RunProcess.eventmill(["run", "--out", "out", "c.ndjson"], directory: directory)
    #expect(run.status == 0, "\(run.errors)")
    let history = try RunProcess.eventmill(
      ["inspect", "--json", "out", "u0", "--history", "c.ndjson"], directory: directory)
    let parts = try history.lines.map { try NaiveJSON(parsing: String($0)) }
    #expect(
      parts.map { "\($0["line"]?.integer ?? 0) \($0["scope"]?.text ?? "")" } == [
        "2 link", "3 event", "3 link",
      ])
    #expect(parts[0]["installation"]?.text == "install:D" && parts[0]["key"]?.text == "custom:u0")
    let why = try RunProcess.eventmill(
      ["inspect", "--json", "out", "u0", "--why", "--logs", "c.ndjson"], directory: directory)
    let answer = try NaiveJSON(parsing: String(#require(why.lines.first)))
    let installation = try #require(answer["installations"]?[0])
    #expect(installation["name"]?.text == "install:D" && installation["published"]?.text == "u1")
    let statements = installation["statements"]?.items ?? []
    #expect(statements.map { $0["outcome"]?.text } == ["won", "lost", "lost"])
    #expect(statements.map { $0["value"]?.text } == ["u1", "u0", "u0"])
    #expect(statements[1]["why"]?.text == "an earlier link counts")
  }

  @Test func whoIsUnknownMayHaveAHistory() throws {
    let directory = try nights()
    let known = try RunProcess.eventmill(
      ["inspect", "--json", "out-1", "w", "--history", "2.ndjson"], directory: directory)
    #expect(known.status == 0, "\(known.errors)")
    #expect(
      try known.lines.map { try NaiveJSON(parsing: String($0))["outcome"]?.text } == [
        nil, "unread", "unread",
      ])
    let unknown = try RunProcess.eventmill(
      ["inspect", "--json", "out-1", "nobody", "--history", "2.ndjson"], directory: directory)
    #expect(unknown.status == 1 && unknown.lines.count == 2, "the id and the log alone")
    let why = try RunProcess.eventmill(["inspect", "--why", "out-1", "w"], directory: directory)
    #expect(why.status == 1 && why.output.isEmpty)
    #expect(why.errors == "nothing of w is published in out-1\n")
  }

  @Test(arguments: [
    ["--why", "--state", "out"], ["--why", "out", "u", "--history", "log.ndjson"],
    ["--why", "out"], ["out", "u", "--history"], ["out", "u", "--where", "a=b"],
  ])
  func oneQuestionAtATime(_ words: [String]) throws { #expect(try inspect(words).status == 2) }

  @Test(arguments: ["yesterday", "2024-10-01", "12345-01-01T00:00:00Z", "0000-01-01T00:00:00Z"])
  func theHistoryOfAnEventWithoutAReadableTime(_ time: String) throws {
    let directory = try ScratchDirectory()
    try directory.write(
      #"{"custom_id":"a","name":"b","time":"\#(time)"}"# + "\n" + Sample.event("a", "b") + "\n",
      to: "log.ndjson")
    let run = try RunProcess.eventmill(
      ["run", "-q", "--out", "out", "log.ndjson"], directory: directory)
    #expect(run.status == 0, "\(run.errors)")
    let history = try RunProcess.eventmill(
      ["inspect", "out", "a", "--history", "log.ndjson"], directory: directory)
    #expect(history.status == 0, "\(history.errors)")
    #expect(history.text.contains("rejected") && history.text.contains("accepted"))
  }
}
