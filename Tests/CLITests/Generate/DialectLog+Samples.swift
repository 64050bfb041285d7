import Foundation
import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@testable import eventmill

/// Synthetic logs of the dialects that `generate` does not make: two tables in `Tables` each. They
/// share the people of other logs.
extension DialectLog {
  /// The options with which every fault is reported.
  static let narrow = "--max-line 32K --not-before 2020-01-01T00:00:00Z"

  static let further = Dialect.allCases.map(\.name)
    .filter { GenerateOptions.Format(rawValue: $0) == nil }

  /// Lines that look right, and are rejected with a message that names the likely mistake.
  static let unitTraps = Result {
    FaultyLine.all(in: try table("unit-traps"), LineGrammar.further)
  }

  private static func table(_ name: String) throws -> [UInt8] {
    let folder = MigrationGuide.folder.appending(path: "Tests/CLITests/Generate/Tables")
    return [UInt8](try Data(contentsOf: folder.appending(path: "\(name).txt")))
  }

  static func named(_ name: String) throws -> DialectLog {
    if let native = GenerateOptions.Format(rawValue: name) { return DialectLog(native) }
    return DialectLog(
      "line", of: LineGrammar(try table("\(name)-lines"), LineGrammar.further),
      faults: FaultyLine.all(in: try table("\(name)-faults"), LineGrammar.further))
  }

  static func text(of name: String, _ change: (inout GenerateOptions) -> Void) throws -> [UInt8] {
    var options = GenerateOptions()
    (options.users, options.seed) = (300, 42)
    change(&options)
    let source = ByteBuffer(text: name)
    let hash = further.contains(name) ? XXH64.hash(source.view) : 0
    let seed = Int(truncatingIfNeeded: hash ^ UInt64(options.seed))
    let generator = LogGenerator(options, of: try named(name), lineSeed: seed)
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
