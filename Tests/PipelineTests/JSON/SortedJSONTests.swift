import TestSupport
import Testing

@testable import Pipeline

@Suite struct SortedJSONTests {
  private func sorted(_ json: String, atMost limit: Int = .max) -> String {
    withTape(of: json) { tape, root in
      var writer = SortedJSON()
      var written = ByteBuffer()
      writer.append(root, of: tape, atMost: limit, to: &written)
      return written.view.text
    }
  }

  private func isSourceText(_ json: String) -> Bool {
    withTape(of: json) { tape, root in SortedJSON.isSourceText(root, of: tape) }
  }

  /// The same by short code that is obviously correct.
  private func naive(_ value: NaiveJSON) -> NaiveJSON {
    switch value {
    case .object(let members):
      .object(
        Dictionary(members.map { ($0.name, $0) }) { $1 }.values
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
          .map { NaiveJSON.Member(name: $0.name, value: naive($0.value)) })
    case .array(let items): .array(items.map(naive))
    default: value
    }
  }

  /// Texts that are in this form already, nearly so, or not at all.
  private static func randomText(_ depth: Int, _ random: inout RepeatableRandom) -> String {
    let parts = ["a", "A", "b", "é", "Z", "\\n", "\\u0041", "\\/", "\\\"", " "]
    func text() -> String {
      let most = random.next() % 4 == 0 ? parts.count : 4
      let length = Int.random(in: 0..<3, using: &random)
      return "\""
        + (0..<length).map { _ in parts[Int.random(in: 0..<most, using: &random)] }.joined() + "\""
    }
    let space = random.next() % 16 == 0 ? " " : ""
    let count = Int.random(in: 0..<(random.next() % 32 == 0 ? 80 : 4), using: &random)
    switch Int.random(in: 0..<(depth < 3 ? 5 : 3), using: &random) {
    case 0: return ["7", "-0", "1.50", "1e2", "12345678901234567890"][Int(random.next() % 5)]
    case 1: return text()
    case 2: return ["null", "true", "false"][Int(random.next() % 3)]
    case 3:
      let items = (0..<count).map { _ in randomText(depth + 1, &random) }
      return "[\(space)" + items.joined(separator: ",") + "]"
    default:
      var members = (0..<count).map { _ in
        let key = count < 4 ? text() : "\"\(Int.random(in: 0...count, using: &random))\""
        return "\(key):\(randomText(count < 4 ? depth + 1 : 3, &random))"
      }
      if random.next() % 2 == 0 { members.sort() }
      return "{\(space)" + members.joined(separator: ",\(space)") + "}"
    }
  }

  @Test(arguments: Array(0..<6) + [UInt64.random(in: 6...UInt64.max)])
  func itIsTheNaiveFormAndKnownWhereItIsWritten(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var found = 0
    for round in 0..<400 {
      let json = "[\(Self.randomText(0, &random)),\(Self.randomText(0, &random))]"
      let written = sorted(json)
      #expect(try written == naive(NaiveJSON(parsing: json)).source, "seed \(seed), round \(round)")
      let isSource = isSourceText(json)
      // Text with an escape is never source text, even if the escape is the shortest form.
      let isSame = written == json && !json.contains("\\")
      #expect(isSource == isSame, "seed \(seed), round \(round): \(json)")
      if isSource { found += 1 }
    }
    #expect(40...360 ~= found)
    #expect(!isSourceText("1") && !isSourceText("\"x\""), "only objects and arrays are checked")
  }

  @Test func itEndsBehindTheLimit() {
    let long = "[" + Array(repeating: "\"0123456789\"", count: 1000).joined(separator: ",") + "]"
    let cut = sorted(long, atMost: 100)
    #expect(cut.utf8.count > 100 && cut.utf8.count < 130)
    #expect(long.hasPrefix(cut.dropLast()))
    let members = "{" + (0..<1000).map { "\"\(1000 + $0)\":1" }.joined(separator: ",") + "}"
    #expect(sorted(members, atMost: 100).utf8.count < 130)
  }

  @Test func oneKeyManyTimesTakesTimeInItsLength() {
    let members = "{" + Array(repeating: "\"k\":1", count: 100_000).joined(separator: ",") + "}"
    #expect(sorted(members) == #"{"k":1}"#)
  }
}
