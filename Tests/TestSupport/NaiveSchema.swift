/// A JSON Schema by short code that is obviously correct: the keywords of the schemas of this
/// project. Anything else is refused, so that no rule is overlooked.
package struct NaiveSchema {
  package struct Unknown: Error { package let keyword: String }

  private let root: NaiveJSON

  package init(_ root: NaiveJSON) { self.root = root }

  package func accepts(_ value: NaiveJSON) throws -> Bool { try accepts(value, root) }

  private func accepts(_ value: NaiveJSON, _ schema: NaiveJSON) throws -> Bool {
    if case .bool(let all) = schema { return all }
    return try schema.names.allSatisfy { name in
      try holds(name, schema[name] ?? .null, of: value, in: schema)
    }
  }

  private func holds(
    _ keyword: String, _ rule: NaiveJSON, of value: NaiveJSON, in schema: NaiveJSON
  ) throws -> Bool {
    switch keyword {
    case "$schema", "$defs", "title", "description", "then", "else": true
    case "$ref":
      try accepts(value, root["$defs"]?[String(rule.text?.dropFirst(8) ?? "")] ?? .bool(false))
    case "type": (rule.items + [rule]).contains { Self.isOf($0.text ?? "", value) }
    case "const": rule == value
    case "enum": rule.items.contains(value)
    case "not": try !accepts(value, rule)
    case "allOf": try rule.items.allSatisfy { try accepts(value, $0) }
    case "anyOf": try rule.items.contains { try accepts(value, $0) }
    case "oneOf": try rule.items.filter { try accepts(value, $0) }.count == 1
    case "if":
      try accepts(value, schema[accepts(value, rule) ? "then" : "else"] ?? .bool(true))
    default: try holds(keyword, rule, ofType: value, in: schema)
    }
  }

  /// Keywords about texts, lists or objects; other values obey them.
  private func holds(
    _ keyword: String, _ rule: NaiveJSON, ofType value: NaiveJSON, in schema: NaiveJSON
  ) throws -> Bool {
    let (text, names, count) = (value.text, value.names, rule.integer ?? 0)
    let isList = Self.isOf("array", value)
    switch keyword {
    case "pattern": return try text.map { try Self.matches($0, rule) } ?? true
    case "minLength": return text.map { $0.unicodeScalars.count >= count } ?? true
    case "maxLength": return text.map { $0.unicodeScalars.count <= count } ?? true
    case "items": return try value.items.allSatisfy { try accepts($0, rule) }
    case "minItems": return !isList || value.items.count >= count
    case "maxItems": return value.items.count <= count
    case "contains": return try !isList || value.items.contains { try accepts($0, rule) }
    case "required":
      return !Self.isOf("object", value) || rule.items.allSatisfy { names.contains($0.text ?? "") }
    case "maxProperties": return names.count <= count
    case "propertyNames": return try names.allSatisfy { try accepts(.string($0), rule) }
    case "dependentRequired":
      return names.allSatisfy { name in
        rule[name]?.items.allSatisfy { names.contains($0.text ?? "") } ?? true
      }
    case "properties":
      return try names.allSatisfy { name in
        try rule[name].map { try accepts(value[name] ?? .null, $0) } ?? true
      }
    case "patternProperties":
      return try names.allSatisfy { name in
        try rule.names.allSatisfy { pattern in
          try !Self.matches(name, .string(pattern))
            || accepts(value[name] ?? .null, rule[pattern] ?? .null)
        }
      }
    case "additionalProperties":
      let known = schema["properties"]?.names ?? []
      return try names.allSatisfy { try known.contains($0) || accepts(value[$0] ?? .null, rule) }
    default: throw Unknown(keyword: keyword)
    }
  }

  private static func matches(_ text: String, _ pattern: NaiveJSON) throws -> Bool {
    try Regex(pattern.text ?? "").matchingSemantics(.unicodeScalar).firstMatch(in: text) != nil
  }

  private static func isOf(_ type: String, _ value: NaiveJSON) -> Bool {
    switch value {
    case .object: type == "object"
    case .array: type == "array"
    case .string: type == "string"
    case .number: type == "number"
    case .bool: type == "boolean"
    case .null: type == "null"
    }
  }
}
