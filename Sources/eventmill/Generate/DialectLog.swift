import Pipeline
import Stages

/// Synthetic logs: good lines and faults. Owner and time of a line are given; the rest depends on
/// random numbers.
struct DialectLog: Sendable {
  /// The name of their format.
  let name: StaticString

  /// Lines with every fault, the typical ones first. They alternate in this order, so a few bad
  /// lines show the first ones.
  let faults: [FaultyLine]

  /// Lines without losses.
  let lines: LineGrammar

  let line: Int

  init(_ name: StaticString, lines: LineGrammar, line: String, faults: [FaultyLine]) {
    self.name = name
    self.lines = lines
    self.line = lines.rule(line)
    self.faults = faults
  }
}

extension DialectLog {
  private static let nativeLines = LineGrammar(PackageResources.native_lines_txt)
  private static let nativeFaults = FaultyLine.all(in: PackageResources.native_faults_txt)

  /// Faults that only `v2` has: another one in the cycle of `mixed` would change all later ones,
  /// and sample-data is older than these.
  private static let newer: Set<ReasonCode> = [.locationInvalid, .needsInstallationID]

  /// About 55 % v1 events, 35 % v2 events, 10 % changes of attributes, 250 bytes a line.
  static let mixed = DialectLog(
    "mixed", lines: nativeLines, line: "mixed",
    faults: nativeFaults.filter { !newer.contains($0.code) })
  /// Nine events for one change of attributes.
  static let v1 = DialectLog(
    "v1", lines: nativeLines, line: "v1",
    faults: nativeFaults.filter { !$0.frame.hasPrefix("v2") })
  /// Nine lines with events for one change of attributes.
  static let v2 = DialectLog(
    "v2", lines: nativeLines, line: "v2",
    faults: nativeFaults.filter { !$0.frame.hasPrefix("v1") })
}

/// A line with a fault: a row of a table of faults (see ``LineGrammar``).
struct FaultyLine: Sendable {
  /// The code of the rejection or the loss, the rule that contains the text of the row, and that of
  /// the text.
  typealias Row = (code: ReasonCode, frame: String, rule: Int)

  private let row: Row
  private let grammar: LineGrammar

  var code: ReasonCode { row.code }
  var frame: String { row.frame }

  static func all(
    in table: [UInt8], _ holes: LineGrammar.Holes = LineGrammar.holes
  ) -> [FaultyLine] {
    let grammar = LineGrammar(table, holes)
    return grammar.faults.map { FaultyLine(row: $0, grammar: grammar) }
  }

  /// Appends the line for `draft`, without a line end.
  func append(_ draft: inout Draft, to text: inout ByteBuffer) {
    grammar.append(row.rule, &draft, to: &text)
  }
}
