import Pipeline

/// Removes data of erased people from a part of `report.json`: paths and texts of samples, and
/// names that come from lines.
struct ReportRedaction {
  /// Objects of a report whose field names come from lines.
  static let names = ["unknown_fields", "by_key", "internal_events", "ignored_actions"]
  /// Fields of a sample that name a file, which is not personal data.
  static let files = ["source", "input", "file"]

  private let search: PersonSearch

  init(_ search: PersonSearch) { self.search = search }

  /// The JSON text of the rest of `unknown_fields`; removed names count as others.
  func text(ofUnknownFields value: JSONValue) -> ByteBuffer {
    var others = 0
    var json = JSONWriter()
    json.object { json in
      for (name, value) in value.members {
        if name == "other" || search.isNamed(inPath: name) {
          others += value.count ?? 0
        } else {
          json.member(named: name, value.count ?? 0)
        }
      }
      if others > 0 { json.member("other", others) }
    }
    return json.finish()
  }

  /// The JSON text of the rest of a value; with `isNames` its field names come from lines.
  func text(of value: JSONValue, isNames: Bool = false) -> ByteBuffer {
    var json = JSONWriter()
    write(value, isNames: isNames, to: &json)
    return json.finish()
  }

  private func write(_ value: JSONValue, isNames: Bool, to json: inout JSONWriter) {
    switch value.kind {
    case .object:
      json.object { json in
        for (name, value) in value.members where !(isNames && search.isNamed(inPath: name)) {
          if Self.files.contains(name) {
            json.member(named: name, value)
          } else {
            let rest = text(of: value, isNames: Self.names.contains(name))
            json.member(named: name, JSONText(rest.view))
          }
        }
      }
    case .array:
      json.array { json in for item in value.items { write(item, isNames: false, to: &json) } }
    case .string:
      let text = value.text ?? ""
      json.item(search.isNamed(inPath: text) ? "" : text)
    default:
      json.item(value)
    }
  }
}
