import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// What lines of several dialects are put together from.
@Suite struct LogGeneratorPartsTests {
  private let generator = LogGenerator(GenerateOptions())

  private func draft(_ line: Int, time: Int = 1_714_641_300_000) -> Draft {
    Draft(
      line: line, time: time, person: Person(number: line, seed: 1), identity: .both,
      random: LogRandom(seed: 1, line: line))
  }

  private func text(_ write: (inout ByteBuffer) -> Void) -> String {
    var text = ByteBuffer(capacity: 16)
    write(&text)
    return text.view.text
  }

  @Test func uuidsAreThoseOfDevices() {
    for line in 0..<50 {
      let upper = text { generator.appendUUID(draft(line), to: &$0) }
      let lower = text { generator.appendUUID(draft(line), .lower, to: &$0) }
      #expect(upper.lowercased() == lower && upper == lower.uppercased())
      #expect(
        lower.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
          != nil)
    }
    let ids = (0..<500).map { line in text { generator.appendUUID(draft(line), to: &$0) } }
    #expect(Set(ids).count == 500)
  }

  /// The seconds come first, as databases make them.
  @Test func objectIDsBeginWithTheTime() {
    let id = text { generator.appendObjectID(draft(3), to: &$0) }
    #expect(id.wholeMatch(of: /[0-9a-f]{24}/) != nil)
    #expect(Int(id.prefix(8), radix: 16) == 1_714_641_300)
    // What lies before 1970 has a time, too.
    #expect(text { generator.appendObjectID(draft(3, time: -1), to: &$0) }.hasPrefix("00000000"))
  }

  @Test func idsAreThoseThatTheLineHas() {
    let both = text {
      generator.appendIDs(draft(7), custom: "\"uid\":\"", installation: "\"dev\":\"", to: &$0)
    }
    #expect(both.hasPrefix("\"uid\":\"user-0000007\",\"dev\":\"") && both.hasSuffix("\","))
    let known = Draft(
      line: 7, time: 0, person: Person(number: 7, seed: 1), identity: .custom,
      random: LogRandom(seed: 1, line: 7))
    #expect(
      text { generator.appendIDs(known, custom: "\"u\":\"", installation: "\"d\":\"", to: &$0) }
        == "\"u\":\"user-0000007\",")
  }

  @Test func onlySmallLettersBecomeCapitals() {
    #expect(text { generator.appendUppercased("ad_seen 2z{é", to: &$0) } == "AD_SEEN 2Z{é")
  }

  /// What stands in a JSON string is read as what was written.
  @Test(arguments: ["", "plain", #"{"a":"b\"c\\d"}"#, #""""#, #"\\\"#, "Köln \"東京\""])
  func escapedTextIsReadBack(_ source: String) throws {
    let written = text { text in
      text.append("[\"")
      generator.appendEscaped(to: &text) { $0.append(text: source) }
      text.append("\"]")
    }
    #expect(try NaiveJSON(parsing: written)[0]?.text == source)
  }
}
