import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PersonSearchTests {
  private static func erasures() throws -> Erasures {
    let scratch = try ScratchDirectory()
    let requests =
      #"{"custom_id":"anna"}"# + "\n" + #"{"custom_id":"4711"}"# + "\n"
      + #"{"installation_id":"7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"# + "\n"
      + #"{"custom_id":"later","time":"2024-06-01T00:00:00Z"}"# + "\n"
      + #"{"custom_id":"two words: \"q\""}"#
    return try ErasureRequests(
      reading: scratch.write(Array(requests.utf8), to: "requests.ndjson")
    ).erasures
  }

  private static func isNamed(_ line: [UInt8]) throws -> Bool {
    let search = PersonSearch(try erasures())
    return withByteView(of: line) { search.isNamed(in: $0) }
  }

  /// Of what is JSON whole strings count, wherever they stand and however they are written.
  @Test(arguments: [
    (#"{"custom_id":"anna"}"#, true), (#"{"a":["anna"]}"#, true), (#"{"custom_id":"Anna"}"#, false),
    (#"{"custom_id":"ann"}"#, false), (#"{"custom_id":"annanna"}"#, false),
    (#"{"custom_id":"\u0061nna"}"#, true), (#"{"name":"it\"s","u":"anna"}"#, true),
    (#"{"anna":1}"#, true), (#"["anna"]"#, true), (#""anna""#, true), (#"{"b":"anna b"}"#, false),
    (#"{"installation_id":"7A0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa"}"#, true),
    (#"{"di":"7\u0041\u00306E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"#, false),
    (#"{"di":"7\u00410C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"#, true),
    (#"{"x":"say \"anna\" twice"}"#, false), (#"{"cus":"two words: \"q\""}"#, true),
    (#"{"ids":{"cus":"later"}}"#, true),
    (#"{"data":"{\"user\":\"anna\"}"}"#, true), (#"{"data":"[{\"a\":\"[\\\"anna\\\"]\"}]"}"#, true),
    (#"{"data":"{\"user\":\"hanna\"}"}"#, false),
    // Numbers are ids where ids stand.
    (#"{"custom_id":4711}"#, true), (#"{"userId":4711}"#, true), (#"{"cus":4711}"#, true),
    (#"{"price":4711}"#, false), (#"{"id":47110}"#, false), (#"[4711]"#, false),
  ])
  func linesThatAreJSON(_ line: String, _ isNamed: Bool) throws {
    #expect(try Self.isNamed(Array(line.utf8)) == isNamed)
  }

  /// Of what is broken, words count, too.
  @Test(arguments: [
    (#"{"broken":"anna","x""#, true), (#"{"custom_id":"anna"#, true),
    (#"{"custom_id":"anna}"#, true),
    (#"{"custom_id":"\u0061nna"#, true), (#"{"cus":"two words: \"q\"","#, true),
    (#"" "anna"#, true), (#"{"x": anna}"#, true), (#"x"y"anna"z"#, true), (#"{'id':'anna'}"#, true),
    ("GET /users/anna?x=1", true), ("user=anna&x", true), ("joanna", false), ("anna-lena", false),
    (#"{"custom_id":4711,"#, true), (#"{"custom_id":"ann"#, false), ("", false), (#"\"#, false),
    (#"{"a":"\"#, false), (#"{"a":"{\"user\":\"anna\"}","#, true),
  ])
  func linesThatAreBroken(_ line: String, _ isNamed: Bool) throws {
    #expect(try Self.isNamed(Array(line.utf8)) == isNamed)
  }

  @Test func bytesThatAreNoText() throws {
    #expect(try Self.isNamed([0xFF, 0x22] + Array("anna".utf8) + [0x22, 0xC3]))
    #expect(try Self.isNamed(Array("\u{1}anna\u{0}".utf8)))
    #expect(try !Self.isNamed([0x22] + Array("anna".utf8) + [0xFF, 0x22]))
  }

  /// However deep something is nested, and whatever a text is made of, the search ends.
  @Test func anyBytesAreSearched() throws {
    var random = RepeatableRandom(seed: UInt64.random(in: 0...UInt64.max))
    let search = PersonSearch(try Self.erasures())
    let alphabet = Array(#"{}[]":,\ua0an"#.utf8) + [0xFF, 0xC3, 0x0A]
    for _ in 0..<3000 {
      let line = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      _ = withByteView(of: line) { search.isNamed(in: $0) }
      let named = line + Array(#"","x":"anna""#.utf8)
      let isFound = withByteView(of: named) { search.isNamed(in: $0) }
      #expect(isFound || named.contains(UInt8(ascii: "\\")), "\(line)")
    }
    let deep = String(repeating: "[", count: 100_000) + #""anna""#
    #expect(withByteView(of: Array(deep.utf8)) { search.isNamed(in: $0) })
  }
}
