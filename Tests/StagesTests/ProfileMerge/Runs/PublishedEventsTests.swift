import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PublishedEventsTests {
  private static func read(_ line: String) -> [String]? {
    let names = RunNames()
    var events = PublishedEvents(names)
    return withByteView(of: line + "\n") { line in
      guard events.read(line, of: "u", 1) != nil else { return nil }
      let list = names.events.list()
      return events.events.map { event in
        let seen = event.register.seen
        let times = seen.isNever ? "never" : "\(seen.first) \(seen.last)"
        let (name, value) = (list[event.name].text, event.register.value.text)
        return "\(name) \(event.register.count) \(times) \(value)"
      }
    }
  }

  /// Only the profile's own field counts, not others of that name.
  @Test func theEventsOfAProfileAreRead() {
    let line =
      #"{"id":"u","kind":"person","identifiers":{"custom_id":"u"},"attributes":{"events":["a"]},"#
      + #""events":{"a":{"count":3},"events":{"count":1,"first_seen":"2024-05-01T00:00:00.001Z","#
      + #""last_seen":"2024-05-01T00:00:01.000Z","value":{"events":{"b":1}}}},"#
      + #""first_seen":"2024-05-01T00:00:00.001Z","last_seen":"2024-05-01T00:00:01.000Z"}"#
    #expect(
      Self.read(line) == [
        "a 3 never ", #"events 1 1714521600001 1714521601000 {"events":{"b":1}}"#,
      ])
    #expect(Self.read(#"{"id":"u"}"#) == [])
  }

  @Test(arguments: [
    "", "[]", "{", "{}", #"{"id":"v"}"#, #"{"id":"u","events":{"a":5}}"#,
    #"{"id":"u","events":{"a":{}}}"#, #"{"id":"u","events":{"a":{"count":-1}}}"#,
    #"{"id":"u","events":{"a":{"count":281474976710656}}}"#,
    #"{"id":"u","events":{"a":{"count":1,"first_seen":"x","last_seen":"x"}}}"#,
    #"{"id":"u","events":{"a":{"count":1,"first_seen":"2024-05-01T00:00:00.000Z"}}}"#,
    #"{"id":"u","events":{"a":{"count":1,"value":5}}}"#,
    #"{"id":"u","events":{"a b":{"count":1}}}"#,
    #"{"id":"u","events":{"a":{"count":281474976710655},"a":{"count":1}}}"#,
  ]) func anotherLineIsRefused(line: String) { #expect(Self.read(line) == nil) }
}
