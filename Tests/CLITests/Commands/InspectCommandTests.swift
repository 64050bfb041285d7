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
    try expectTranscript("inspect-state")
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
    try expectTranscript("inspect")
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
    try expectTranscript("inspect-questions")
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
    try write([Self.seen("u", "refunded")], to: "late.ndjson")
    try expectTranscript("inspect-unread")
  }

  /// An opt-out suppresses nothing in an output that was made without its log.
  @Test func optOutsThatTheOutputWasMadeWithout() throws {
    let event = Self.seen("D", id: "installation_id")
    let optOut =
      #"{"identifiers":{"installation_id":"D"},"time":"2024-05-01T00:00:00Z","opted_out":true}"#
    try directory.write(event, to: "1.ndjson")
    try directory.write(optOut, to: "late.ndjson")
    try write([event, optOut], to: "grown.ndjson")
    try expectTranscript("inspect-opt-outs")
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
    try expectTranscript("inspect-suppressed-links")
  }

  /// A line that links an installation to a person is a part of the person's history, even if the
  /// installation belongs to another person now, and whatever else the line says.
  @Test func linksToAPersonWhoLostThem() throws {
    try write(
      [
        Self.link("u1", "2024-05-01T00:00:00Z"), Self.link("u0", "2024-05-02T00:00:00Z"),
        #"{"identifiers":{"custom_id":"u0","installation_id":"D"},"events":[{"name":"seen","time":"2024-05-03T00:00:00Z"}]}"#,
      ], to: "c.ndjson")
    try expectTranscript("inspect-lost-links")
  }

  @Test func theHistoryOfAnEventWithoutAReadableTime() throws {
    let times = ["yesterday", "2024-10-01", "12345-01-01T00:00:00Z", "0000-01-01T00:00:00Z"]
    try write(
      times.map { #"{"custom_id":"a","name":"b","time":"\#($0)"}"# } + [Sample.event("a", "b")],
      to: "log.ndjson")
    try expectTranscript("inspect-bad-times")
  }
}
