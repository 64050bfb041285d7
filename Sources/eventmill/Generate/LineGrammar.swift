import Pipeline
import Stages

/// The grammar of synthetic logs: rules, which are texts with holes, read from a table.
///
/// A rule is `name: text`. Alternatives are on lines of their own, indented, or separated by `|`.
/// All are equally likely, unless `30% ` before one is its share; the alternative without a share
/// gets the rest, and if all have one, the rest is nothing. A line that ends in `\` continues in
/// the next line. A text has holes:
///
/// | hole | is replaced by |
/// |---|---|
/// | `<rule>` | an alternative of the rule |
/// | `<30% a\|b>`, `<30% a>` | an alternative of a rule without a name |
/// | `<rule.EXPR>` | the alternative with that number, from 0 |
/// | `<rule,3>` | one to three consecutive alternatives from a random one on, with commas |
/// | `<rule*EXPR>` | the rule that many times, with commas |
/// | `<user? a\|b>` | `a` if the line has a custom id, else `b` |
/// | `<device? a\|b>`, `<both? a\|b>` | likewise for an installation id, and for both |
/// | `<name? a\|b>` | `a` if `name` is not 0, else `b` |
/// | `<EXPR>` | a number |
/// | `<time: EXPR>`, `<local: EXPR>` | milliseconds as a time, with and without a zone |
/// | `<name=EXPR>` | nothing; `name` is that number for the rest of the line |
/// | `<x 300>`, `<nested 70>` | that many letters x, that many objects around a number |
/// | `<user>`, `<time>`, … | one of ``holes`` |
///
/// An expression adds, subtracts and multiplies numbers, names, `ms` and `s` (the time of the
/// line), `n` (the number of the event in the line), `?9` (a random number from 0 to 8) and `50%`
/// (1 in half of the cases, else 0). Random numbers are drawn from left to right.
///
/// A row `code frame text` is a fault: the text replaces `<fault>` in the rule `frame`.
final class LineGrammar: Sendable {
  /// Appends a text without holes, or what replaces a hole. Nothing is allocated unless the text
  /// grows.
  typealias Piece = @Sendable (LineGrammar, inout Draft, inout ByteBuffer) -> Void
  /// The value of an expression.
  typealias Number = @Sendable (inout Draft) -> Int
  /// Alternatives. The first one whose bound is above a random number is chosen.
  typealias Rule = [(bound: Int, pieces: [Piece])]

  /// Makes what replaces a hole from the text after its word.
  typealias Hole = @Sendable (inout LineGrammarParser, Substring) -> Piece

  static func fixed(_ piece: @escaping Piece) -> Hole { { _, _ in piece } }

  /// The holes of the tables of this program, by their words.
  static let holes: [String: Hole] = [
    "user": fixed { $1.person.appendCustomID(to: &$2) },
    "device": fixed { $1.person.appendInstallationID(to: &$2) },
    "event": fixed { $2.append(hex: $1.eventID) },
    "time": fixed { Timestamp.append(milliseconds: $1.time, to: &$2) },
    "price": fixed {
      let cents = $1.random.below(40_000)
      $2.append(decimal: cents / 100)
      $2.append(UInt8(ascii: "."))
      $2.append(UInt8(ascii: "0") + UInt8(cents / 10 % 10))
      $2.append(UInt8(ascii: "0") + UInt8(cents % 10))
    },
    // An event name, the first ones more often.
    "name": fixed { $0.appendName(&$1, to: &$2) },
    // Nothing; the rest belongs to the next event of the line.
    "next": fixed { _, draft, _ in draft.event += 1 },
    "not_utf8": fixed { _, _, text in text.append(0xFF) },
    "fault": fixed { _, _, _ in },
    "time:": { parser, content in
      let time = parser.number(content)
      return { Timestamp.append(milliseconds: time(&$1), to: &$2) }
    },
    "local:": { parser, content in
      let time = parser.number(content)
      return { _, draft, text in
        let end = text.count + "YYYY-MM-DDTHH:mm:ss".utf8.count
        Timestamp.append(milliseconds: time(&draft), to: &text)
        text.truncate(to: end)
      }
    },
    "x ": { _, content in
      let count = LineGrammarParser.constant(content)
      return { for _ in 0..<count { $2.append(UInt8(ascii: "x")) } }
    },
    "nested ": { _, content in
      let depth = LineGrammarParser.constant(content)
      return { _, _, text in
        for _ in 0..<depth { text.append("{\"d\":") }
        text.append(UInt8(ascii: "0"))
        for _ in 0..<depth { text.append(UInt8(ascii: "}")) }
      }
    },
  ]

  /// A power of two, so that a few random bits choose an event name.
  private static let weights = 4096

  private let rules: [Rule]
  private let ruleNames: [String: Int]
  let faults: [FaultyLine.Row]
  private let eventNames: Int
  /// Numbers of event names, each repeated by its frequency; ``weights`` in all.
  private let nameWeights: [UInt8]

  /// The rules and faults of `table`, besides those of the words of the shop.
  init(_ table: [UInt8], _ holes: [String: Hole] = holes) {
    let parser = LineGrammarParser(table + [0x0A] + PackageResources.shop_words_txt, holes)
    (rules, ruleNames, faults) = (parser.rules, parser.ruleNames, parser.faults)
    guard let names = ruleNames["event_name"] else { preconditionFailure("no event names") }
    (eventNames, nameWeights) = (names, LineGrammar.weights(of: rules[names].count))
  }

  /// Numbers of `names`: number k occurs about 1 / (k + 1) as often as the first.
  private static func weights(of names: Int) -> [UInt8] {
    // Integers only, so that every machine makes the same table.
    let scale = 1_000_000
    let sum = (1...names).reduce(0) { $0 + scale / $1 }
    var weights: [UInt8] = []
    var reached = 0
    for name in 0..<names {
      reached += scale / (name + 1)
      let end = reached * LineGrammar.weights / sum
      while weights.count < end { weights.append(UInt8(name)) }
    }
    while weights.count < LineGrammar.weights { weights.append(0) }
    return weights
  }

  func rule(_ name: String) -> Int {
    guard let rule = ruleNames[name] else { preconditionFailure("there is no rule \(name)") }
    return rule
  }

  /// Appends an alternative of a rule, chosen at random if there are several.
  func append(_ rule: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    var chosen = 0
    let last = rules[rule].count - 1
    if last > 0 {
      let draw = draft.random.below(rules[rule][last].bound)
      while rules[rule][chosen].bound <= draw { chosen += 1 }
    }
    append(rule, number: chosen, &draft, to: &text)
  }

  /// Appends the alternative with this number; nothing if there is none.
  func append(_ rule: Int, number: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    guard number < rules[rule].count else { return }
    for piece in rules[rule][number].pieces { piece(self, &draft, &text) }
  }

  /// Appends up to `most` consecutive alternatives, from a random one on, with commas.
  func append(_ rule: Int, most: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    let count = rules[rule].count
    let first = draft.random.below(count)
    for index in 0...draft.random.below(most) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(rule, number: (first + index) % count, &draft, to: &text)
    }
  }

  func appendName(_ draft: inout Draft, to text: inout ByteBuffer) {
    let name = nameWeights[Int(draft.random.next() >> 32) & (LineGrammar.weights - 1)]
    append(eventNames, number: Int(name), &draft, to: &text)
  }
}
