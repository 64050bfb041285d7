import Pipeline
import TestSupport
import Testing

/// The scanner against the naive parser, on good and on broken lines.
@Suite struct ScannerDifferentialTests {
  static let corpus =
    JSONSamples.accepted + JSONSamples.rejected.map(\.0) + [
      #"{"identifiers":{"custom_id":"user-1","installation_id":"7A0C6E1E"},"time":"2024-06-01T00:00:00.000Z","attributes":{"$language":"fr","age":26,"programs":{"$add":["gold"],"$remove":["silver"]},"old_key":null}}"#,
      #"{"id":"e-2","custom_id":"user-1","name":"read_article","label":"sp\u00f6rts","tags":["Squash","daily\tdigest"],"attributes":{"premium":true,"price":-23.990e+0,"date(published)":1714641300}}"#,
      #"{"a":"\ud83d\ude00","b":[1,-2.5,3e7,0,0.5E-3],"c":{"d":{"e":[[[]]]}},"ü":"\\\"\/"}"#,
    ]

  /// As lines, and as texts in strings.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func agreesWithTheNaiveParser(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<4000 {
      let line =
        round % 2 == 0
        ? Mutations.mutate(Array(Self.corpus[round / 2 % Self.corpus.count].utf8), &random)
        : Array(Self.randomText(depth: 0, &random).utf8)
      guard String(validating: line, as: UTF8.self) != nil else { continue }
      let before = String(repeating: "#", count: round % 17)
      let after = round % 3 == 0 ? "\n" : "\n" + String(repeating: "\"", count: round % 40)
      let naive = Scanned(naive: line)
      let label: Comment =
        "seed \(seed), round \(round): \(String(decoding: line, as: UTF8.self))"
      #expect(Scanned(line, before: before, after: after) == naive, label)
      #expect(try Scanned(inString: line) == naive, label)
    }
  }

  static func randomText(depth: Int, _ random: inout RepeatableRandom) -> String {
    func pick(_ choices: [String]) -> String {
      choices[Int.random(in: 0..<choices.count, using: &random)]
    }
    let space = pick(["", "", "", " ", "\t ", "\r"])
    let strings = [
      "\"\"", "\"a\"", "\"longer than sixteen bytes in all\"", #""\n""#, #""\uD83D\uDE00 \u00e9""#,
      "\"é😀\"", "\"0123456789abcde\"", "\"0123456789abcdef\"", #""0123456789abcd\\x""#,
    ]
    let scalars = ["0", "-1", "3.25", "1e9", "true", "false", "null", "12345678901234567890"]
    var text: String
    switch Int.random(in: 0..<(depth > 5 ? 2 : 5), using: &random) {
    case 0: text = pick(strings)
    case 1: text = pick(scalars)
    case 2:
      let items = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        randomText(depth: depth + 1, &random)
      }
      text = "[\(space)\(items.joined(separator: ","))]"
    default:
      let members = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        pick(strings) + space + ":" + randomText(depth: depth + 1, &random)
      }
      text = "{\(space)\(members.joined(separator: ",\(space)"))}"
    }
    if Int.random(in: 0..<200, using: &random) == 0 { text += pick([",", "]", "}", "x", "\""]) }
    return space + text + space
  }
}
