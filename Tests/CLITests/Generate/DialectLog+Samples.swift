import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Synthetic logs of the dialects that `generate` does not make: two tables in `Tables` each. They
/// share the people of other logs.
extension DialectLog {
  /// The options with which every fault is reported.
  static let narrow = "--max-line 32K --not-before 2020-01-01T00:00:00Z"

  static let further = [
    DialectLog("sdk", PackageResources.sdk_lines_txt, PackageResources.sdk_faults_txt),
    DialectLog("action", PackageResources.action_lines_txt, PackageResources.action_faults_txt),
    DialectLog("bolts", PackageResources.bolts_lines_txt, PackageResources.bolts_faults_txt),
    DialectLog("realm", PackageResources.realm_lines_txt, PackageResources.realm_faults_txt),
    DialectLog("pulse", PackageResources.pulse_lines_txt, PackageResources.pulse_faults_txt),
  ]

  /// Lines that look right, and are rejected with a message that names the likely mistake.
  static let unitTraps = FaultyLine.all(in: PackageResources.unit_traps_txt, LineGrammar.further)

  private init(_ name: StaticString, _ lines: [UInt8], _ faults: [UInt8]) {
    self.init(
      name, lines: LineGrammar(lines, LineGrammar.further), line: "line",
      faults: FaultyLine.all(in: faults, LineGrammar.further))
  }

  static func named(_ name: String) throws -> DialectLog {
    try #require(([.v1, .v2] + further).first { "\($0.name)" == name })
  }

  func text(_ change: (inout GenerateOptions) -> Void) -> [UInt8] {
    var options = GenerateOptions()
    (options.users, options.seed) = (300, 42)
    change(&options)
    let isNative = GenerateOptions.Format(rawValue: "\(name)") != nil
    let hash = isNative ? 0 : XXH64.hash(ByteView(name))
    let seed = Int(truncatingIfNeeded: hash ^ UInt64(options.seed))
    let generator = LogGenerator(options, of: self, lineSeed: seed)
    var text = ByteBuffer()
    for line in 0..<options.lines { generator.append(line, to: &text) }
    return text.view.array
  }
}

extension NaiveJSON {
  /// All codes in an explanation, at any depth.
  var codes: Set<String> {
    switch self {
    case .object(let members):
      var codes: Set<String> = []
      for member in members where member.name != "canonical" {
        if member.name == "code", case .string(let code) = member.value { codes.insert(code) }
        codes.formUnion(member.value.codes)
      }
      return codes
    case .array(let items): return items.reduce(into: []) { $0.formUnion($1.codes) }
    default: return []
    }
  }
}
