/// The synthetic logs of one dialect: good lines and faults.
///
/// Adding one is one file beside this one, with a table of lines and a table of faults, and one
/// entry in ``all``. Owner and time of a line are given; the rest depends on random numbers.
struct DialectLog: Sendable {
  /// Every dialect with logs, in the order of help and documents.
  static let all = [v1, v2, sdk, action, bolts, realm, pulse]

  /// The valid values of `--dialect`.
  static let names = all.map { "\($0.name)" }

  /// The value of `--dialect`.
  let name: StaticString

  /// Lines with every fault of the dialect, the typical ones first. They alternate in this order,
  /// so a few bad lines show the first ones.
  let faults: [FaultyLine]

  /// Lines without losses.
  let lines: LineGrammar

  /// The rule of a line.
  let line: Int

  init(_ name: StaticString, lines: LineGrammar, line: String, faults: [FaultyLine]) {
    self.name = name
    self.lines = lines
    self.line = lines.rule(line)
    self.faults = faults
  }

  /// A dialect with its own tables, in which a line is the rule `line`.
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
