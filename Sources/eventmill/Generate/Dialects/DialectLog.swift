/// How synthetic logs of one dialect look: what a good line is, and which faults there are.
///
/// Adding one is one file beside this one, with a table of lines and a table of faults, and one
/// entry in ``all``. Whose line it is and when it was written is given; what stands in it follows
/// from random numbers.
struct DialectLog: Sendable {
  /// Every dialect that logs can be made of, in the order in which help and documents name them.
  static let all = [v1, v2, sdk, action, bolts, realm, pulse]

  /// What `--dialect` may name.
  static let names = all.map { "\($0.name)" }

  /// As it stands behind `--dialect`.
  let name: StaticString

  /// Lines with every fault that the dialect can have, those that are typical of it first. They
  /// take turns in this order, so a few bad lines show the first of them.
  let faults: [FaultyLine]

  /// Lines that lose nothing.
  let lines: LineGrammar

  /// The rule that is a line.
  let line: Int

  init(_ name: StaticString, lines: LineGrammar, line: String, faults: [FaultyLine]) {
    self.name = name
    self.lines = lines
    self.line = lines.rule(line)
    self.faults = faults
  }

  /// A dialect with tables of its own, in which a line is the rule `line`.
  init(_ name: StaticString, lines: StaticString, faults: StaticString) {
    self.init(
      name, lines: LineGrammar(lines), line: "line", faults: FaultyLine.all(in: faults))
  }

  /// The dialect of that name; the name must be one of ``names``.
  static func named(_ name: String) -> DialectLog {
    guard let log = all.first(where: { "\($0.name)" == name }) else {
      preconditionFailure("there are no synthetic logs of \(name)")
    }
    return log
  }
}
