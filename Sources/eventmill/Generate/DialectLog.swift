import Stages

/// The synthetic logs of one dialect: good lines and faults.
///
/// Adding one is two tables in `Tables` and an entry here. Owner and time of a line are given; the
/// rest depends on random numbers.
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
  init(_ name: StaticString, lines: [UInt8], faults: [UInt8]) {
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
  static let sdk = DialectLog(
    "sdk", lines: PackageResources.sdk_lines_txt, faults: PackageResources.sdk_faults_txt)
  static let action = DialectLog(
    "action", lines: PackageResources.action_lines_txt, faults: PackageResources.action_faults_txt)
  static let bolts = DialectLog(
    "bolts", lines: PackageResources.bolts_lines_txt, faults: PackageResources.bolts_faults_txt)
  static let realm = DialectLog(
    "realm", lines: PackageResources.realm_lines_txt, faults: PackageResources.realm_faults_txt)
  static let pulse = DialectLog(
    "pulse", lines: PackageResources.pulse_lines_txt, faults: PackageResources.pulse_faults_txt)

  /// Lines that look right, and are rejected with a message that names the likely mistake.
  static let unitTraps = FaultyLine.all(in: PackageResources.unit_traps_txt)
}
