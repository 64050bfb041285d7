import Pipeline

/// A profile that differs between two outputs.
package struct ProfileChange {
  package enum Kind: String, Sendable {
    case added, gone, changed
  }

  /// A field that differs: its path, and its JSON in each output; nil where it is missing.
  package struct Field: Equatable, Sendable {
    package let path: String
    package let old: String?
    package let new: String?
  }

  package let kind: Kind
  /// `person` or `installation`.
  package let owner: String
  package let id: String
  /// The differences of a profile that both have.
  package let fields: [Field]

  /// The objects of a profile whose fields are compared one by one, and those of each event; other
  /// values are compared as a whole.
  private static let open: Set = ["identifiers", "attributes", "events"]

  /// The difference between two states of one profile; one of them may be absent.
  init(old before: JSONValue?, new after: JSONValue?) {
    kind = before == nil ? .added : after == nil ? .gone : .changed
    owner = (after ?? before)?["kind"]?.text ?? ""
    id = (after ?? before)?["id"]?.text ?? ""
    var fields: [Field] = []
    if let before, let after { Self.compare(before, after, [], &fields) }
    self.fields = fields
  }

  private static func compare(
    _ old: JSONValue, _ new: JSONValue, _ path: [String], _ fields: inout [Field]
  ) {
    func values(_ object: JSONValue) -> [String: JSONValue] {
      Dictionary(object.members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
    for (name, left, right) in values(old).joined(with: values(new)) {
      let (leftText, rightText) = (left?.jsonText, right?.jsonText)
      // By their bytes: texts that look alike can differ.
      if let leftText, let rightText, leftText.utf8.elementsEqual(rightText.utf8) { continue }
      let inner = path + [name]
      let isOpen = path.isEmpty ? open.contains(name) : path == ["events"]
      if isOpen, let left, let right {
        compare(left, right, inner, &fields)
      } else {
        fields.append(Field(path: inner.joined(separator: "."), old: leftText, new: rightText))
      }
    }
  }
}
