@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// What an erasure leaves, searched by code that shares nothing with the program's search: no text
/// of an output has an erased id, whatever its escapes and the characters beside it.
@Suite struct ErasedTextTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private static let ids = [
    "anna@x.test", "Zoë", "777888999", "anna smith", "a+b@x.test", "tom&jerry", #"dom\user"#,
    "say \"hi\"", "-7-", "Ж42", "100%41", "tom&amp;jerry", #"c:\new\table"#,
  ]
  private static let installation = "7a0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa"

  private static let neighbours = [
    (" ", " "), ("“", "”"), ("«", "»"), ("：", "，"), ("\u{A0}", "\u{202F}"), ("—", "—"),
    ("\u{200B}", "\u{FEFF}"), ("<b>", "</b>"), ("u=", "&v=1"), ("(", ")…"), ("/", "?"),
  ]

  // MARK: - Writing

  private static func hex(_ value: some BinaryInteger, _ digits: Int = 1) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func percents(_ text: String) -> String {
    text.utf8.map { "%" + hex($0, 2) }.joined()
  }

  private static func units(_ text: String, _ begin: String = #"\u"#) -> String {
    text.utf16.map { begin + hex($0, 4) }.joined()
  }
  private static func scalars(_ text: String, _ begin: String, _ end: String) -> String {
    text.unicodeScalars.map { begin + hex($0.value) + end }.joined()
  }

  private static func references(_ text: String) -> String { scalars(text, "&#x", ";") }
  private static func braces(_ text: String) -> String { scalars(text, #"\u{"#, "}") }
  private static func script(_ text: String) -> String { units(text, "%u") }
  private static func bytes(_ text: String) -> String {
    percents(text).replacing("%", with: #"\x"#)
  }
  private static func withoutEnds(_ text: String) -> String { text.replacing(";", with: "") }

  private static func query(_ text: String) -> String {
    text.map { $0 == " " ? "+" : $0.isASCII && $0.isLetter ? String($0) : percents(String($0)) }
      .joined()
  }

  private static func html(_ text: String) -> String {
    [("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;"), (" ", "&nbsp;")].reduce(text) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  private static let spellings: [@Sendable (String) -> String] = [
    { $0 }, percents, { units($0) }, references, query, html, { percents(percents($0)) },
    { percents(units($0)) }, { units(percents($0)) }, { percents(html($0)) },
    { query(quoted($0)) }, { html(query($0)) }, { quoted(quoted($0)) }, script,
    { percents(script($0)) }, { withoutEnds(references($0)) }, { withoutEnds(html($0)) },
    { script(withoutEnds(html($0))) }, bytes, braces, { percents(bytes($0)) },
    { braces(script($0)) },
  ]

  // MARK: - Searching

  private static func scalar(_ digits: Substring) -> String {
    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? "?"
  }

  private static func decoded(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> String {
    text.replacing(pattern) { scalar($0.1) }
  }

  /// The text with one kind of escapes decoded, for each kind whose first character it has.
  private static func steps(_ text: String) -> [String] {
    let named = [("&lt;", "<"), ("&quot;", "\""), ("&nbsp;", " "), ("&#39;", "'"), ("&amp;", "&")]
    func references() -> String { decoded(text, #/&#x([0-9a-fA-F]{1,6});?/#) }
    let steps: [(first: Unicode.Scalar, decoded: () -> String)] = [
      ("%", { percentsDecoded(text) }), ("%", { decoded(text, #/%u([0-9a-fA-F]{4})/#) }),
      ("+", { text.replacing("+", with: " ") }),
      ("\\", { percentsDecoded(text.replacing(#"\x"#, with: "%")) }),
      ("\\", { decoded(text, #/\\u\{([0-9a-fA-F]{1,6})\}/#) }),
      (
        "\\",
        {
          text.replacing(#/\\(?:u([0-9a-fA-F]{4})|([\"\\\/nt]))/#) { match in
            if let unit = match.1 { return scalar(unit) }
            return match.2 == "n" ? "\n" : match.2 == "t" ? "\t" : String(match.2 ?? "")
          }
        }
      ),
      ("&", { named.reduce(references()) { $0.replacing($1.0, with: $1.1) } }),
      ("&", { named.reduce(references()) { $0.replacing($1.0.dropLast(), with: $1.1) } }),
    ]
    let scalars = Set(text.unicodeScalars)
    return steps.filter { scalars.contains($0.first) }.map { $0.decoded() }
  }

  private static func percentsDecoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = byte == UInt8(ascii: "%") ? String(decoding: rest.prefix(2), as: UTF8.self) : ""
      if digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit) {
        rest = rest.dropFirst(2)
        bytes.append(UInt8(digits, radix: 16) ?? byte)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text, and what comes of it by decoding escapes in any order.
  private static func forms(_ text: String) -> Set<String> {
    var forms: Set = [text]
    var new = forms
    for _ in 0..<6 where forms.count < 2000 {
      new = Set(new.flatMap(steps)).subtracting(forms)
      forms.formUnion(new)
    }
    return forms
  }

  private static func isInWord(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
      || scalar == "_"
  }

  private static func holds(_ scalars: [Unicode.Scalar], _ id: String) -> Bool {
    let wanted = Array(id.unicodeScalars)
    return scalars.indices.dropLast(wanted.count - 1).contains { start in
      guard scalars[start] == wanted[0], scalars[start...].starts(with: wanted) else {
        return false
      }
      let (before, after) = (scalars[..<start].last, scalars[(start + wanted.count)...].first)
      return !(isInWord(before) && isInWord(wanted.first))
        && !(isInWord(after) && isInWord(wanted.last))
    }
  }

  /// The ids in a text in any form.
  private static func found(in text: String) -> [String] {
    let forms = forms(text)
    let scalars = forms.map { Array($0.unicodeScalars) }
    let upper = forms.map { Array($0.uppercased().unicodeScalars) }
    return ids.filter { id in scalars.contains { holds($0, id) } }
      + (upper.contains { holds($0, installation.uppercased()) } ? [installation] : [])
  }

  // MARK: - Tests

  private static let requests =
    ids.map { #"{"custom_id":\#(quoted($0))}"# } + [#"{"installation_id":"\#(installation)"}"#]

  /// Lines with each id in each spelling beside each pair of neighbours: as text in a rejected
  /// event, in a line that is not JSON, in the name of an unknown field, and as the key of an
  /// attribute of an event, of a profile, and of an event of a further dialect.
  private static var lines: [String] {
    let time = #""time":"2024-05-02T09:15:00Z""#
    return (ids + [installation]).enumerated().flatMap { number, id in
      neighbours.enumerated().flatMap { place, neighbour in
        spellings.enumerated().map { kind, spelling in
          let text = neighbour.0 + spelling(id) + neighbour.1
          let key = quoted(text)
          return switch (number + place + kind) % 6 {
          case 0: #"{"custom_id":"bob","name":"bad name",\#(time),"note":\#(key)}"#
          case 1: "to \(text)"
          case 2: #"{"custom_id":"bob","name":"ok",\#(time),\#(key):1}"#
          case 3: #"{"custom_id":"bob","name":"ok",\#(time),"attributes":{\#(key):1}}"#
          case 4: #"{"identifiers":{"custom_id":"bob"},\#(time),"attributes":{\#(key):1,"k":1}}"#
          default:
            #"{"action":["batch.user.event",{"e":"a","a":{\#(key):[],"k":{}}}],"#
              + #""custom_id":"bob",\#(time)}"#
          }
        }
      }
    }
  }

  private func problems(_ output: String) throws -> [String] {
    try fixture.problems(of: fixture.scratch(output), absent: fixture.scratch("requests.ndjson"))
  }

  /// The ids in the files of an output that may contain texts of lines.
  private func left(in output: String) throws -> [String] {
    try fixture.scratch.files(below: output).flatMap { path in
      try String(decoding: fixture.text("\(output)/\(path)"), as: UTF8.self).split(separator: "\n")
        .flatMap { line in Self.found(in: String(line)).map { "\(path): \($0) in \(line)" } }
    }
  }

  @Test func noTextOfAnOutputHasAnErasedID() throws {
    let all = Self.lines
    let lines = Effort.numbers(below: all.count, every: 5).map { all[$0] }
    for line in lines { #expect(!Self.found(in: line).isEmpty, "the search finds it in \(line)") }
    let others = #"{"custom_id":"bob","name":"bad name","note":"“annabel” a@x.test 77788899"}"#
    try fixture.log(lines + [others], "a.ndjson")
    try fixture.log(Self.requests, "requests.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    #expect(try !problems("out").isEmpty)
    try fixture.erase(from: "out", to: "new")
    try fixture.run(["a.ndjson"], to: "run") {
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    for output in ["new", "run"] {
      #expect(try left(in: output) == [])
      #expect(try problems(output) == [])
      let raws = try fixture.lines("\(output)/rejects.ndjson.zst").compactMap { $0["raw"]?.text }
      #expect(raws.filter { !$0.isEmpty } == [others])
    }
  }

  /// What an erasure leaves, the check accepts, and what the check refuses, an erasure removes.
  @Test(arguments: [
    #"{"custom_id":"bob","name":"bad name","user_id":[777888999]}"#,
    #"{"custom_id":"bob","name":"bad name","user_id":[1,777888999],"n":777888999}"#,
    #"{"custom_id":"bob","name":"bad name","-7-":1,"a":{"user_id":"777888999"}}"#,
    #"{"custom_id":"bob","name":"bad name","n":[777888999]}"#,
    #"{"custom_id":"bob","name":"bad name","777888999":1}"#,
    #"{"custom_id":"bob","name":"bad name","x":"{\"user_id\":[777888999]}"}"#,
  ])
  func theCheckAcceptsWhatAnErasureLeaves(_ line: String) throws {
    try fixture.log([line], "a.ndjson")
    try fixture.log(Self.requests, "requests.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let erased = try fixture.erase(from: "out", to: "new")
    #expect(try problems("new") == [])
    #expect(try problems("out").isEmpty || erased.single.redactedRejects > 0)
  }
}
