import TestSupport

@testable import eventmill

extension DialectLog {
  /// The dialects that only `--dialect` generates. Those of `--format` have their own tests.
  static let further = names.filter {
    GenerateOptions.Format(rawValue: $0) == nil
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
