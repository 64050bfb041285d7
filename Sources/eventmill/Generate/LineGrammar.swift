import Pipeline

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
/// | `<escaped: a>` | `a` as the content of a JSON string |
/// | `<EXPR>` | a number |
/// | `<time: EXPR>`, `<local: EXPR>` | milliseconds as a time, with and without a zone |
/// | `<name=EXPR>` | nothing; `name` is that number for the rest of the line |
/// | `<hex 12>`, `<HEX 16>` | random digits |
/// | `<x 300>`, `<nested 70>` | that many letters x, that many objects around a number |
/// | `<user>`, `<time>`, … | a ``Value`` |
///
/// An expression adds, subtracts and multiplies numbers, names, `ms` and `s` (the time of the
/// line), `n` (the number of the event in the line), `?9` (a random number from 0 to 8) and `50%`
/// (1 in half of the cases, else 0). Random numbers are drawn from left to right.
///
/// A row `code frame text` is a fault: the text replaces `<fault>` in the rule `frame`.
final class LineGrammar: Sendable {
  /// The values of a line, and words with different frequencies.
  enum Value: String {
    /// The custom id and the installation id.
    case user, device
    /// The id of the event in several forms.
    case event, uuid
    case capitalUUID = "UUID"
    case objectID = "oid"
    case time, price
    /// An event name, the first ones more often; in lower and in upper case.
    case name
    case capitalName = "NAME"
    /// Nothing; the rest belongs to the next event of the line.
    case next
    /// A byte that is not UTF-8.
    case notUTF8 = "not_utf8"
  }

  /// The condition of an alternative.
  enum Condition {
    case user, device, both
    case variable(Int)
  }

  /// A part of an expression.
  enum Atom {
    case constant(Int)
    /// A random number below a bound.
    case below(Int)
    /// 1 in that many of a thousand cases, else 0.
    case chance(Int)
    case milliseconds, seconds, event
    case variable(Int)
  }

  /// Two factors, added or subtracted.
  struct Term {
    var isNegative = false
    var first = Atom.constant(1)
    var second = Atom.constant(1)
  }

  /// A sum of ``terms``.
  typealias Expression = Range<Int>

  /// A piece of a text, or a hole in it. Rules and names are numbers.
  enum Step {
    case literal([UInt8])
    case value(Value)
    case rule(Int)
    case alternative(Int, Expression)
    case different(Int, most: Int)
    case repeated(Int, Expression)
    case test(Condition, Int)
    case escaped(Int)
    case number(Expression)
    case time(Expression)
    case local(Expression)
    case set(Int, Expression)
    case digits(Int, isUpper: Bool)
    case letters(Int)
    case nested(Int)
  }

  /// A text, chosen if the random number is below `below`.
  struct Alternative {
    let steps: Range<Int>
    let bound: Int
  }

  /// Alternatives, chosen by a random number below `total`.
  struct Rule {
    var alternatives = 0..<0
    var total = 0
  }

  /// A row of the table.
  struct Fault {
    let code: String
    let frame: String
    let steps: Range<Int>
  }

  /// A power of two, so that a few random bits choose an event name.
  static let weights = 4096

  let steps: [Step]
  let terms: [Term]
  let alternatives: [Alternative]
  let rules: [Rule]
  let faults: [Fault]
  private let ruleNames: [String: Int]
  /// The rule of the event names.
  let eventNames: Int
  /// Numbers of event names, each repeated by its frequency; ``weights`` in all.
  let nameWeights: [UInt8]

  /// The rules and faults of `table`, besides those of the words of the shop.
  init(_ table: [UInt8]) {
    var parser = LineGrammarParser(table + [0x0A] + PackageResources.shop_words_txt)
    parser.parse()
    steps = parser.steps
    terms = parser.terms
    alternatives = parser.alternatives
    rules = parser.rules
    faults = parser.faults
    ruleNames = parser.ruleNames
    guard let names = ruleNames["event_name"] else { preconditionFailure("no event names") }
    eventNames = names
    nameWeights = LineGrammar.weights(of: rules[names].alternatives.count)
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

  /// The number of a rule.
  func rule(_ name: String) -> Int {
    guard let rule = ruleNames[name] else { preconditionFailure("there is no rule \(name)") }
    return rule
  }
}
