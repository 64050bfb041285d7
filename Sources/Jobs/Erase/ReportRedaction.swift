import Pipeline

/// Removes data of erased people from `report.json`: texts and names that come from lines, as the
/// rows of ``Report`` say.
struct ReportRedaction {
  private let search: PersonSearch

  init(_ search: PersonSearch) { self.search = search }

  /// Writes the rest of a value.
  func write(_ value: JSONValue, _ origin: Origin, to json: inout JSONWriter) {
    switch value.kind {
    case _ where !origin.isOfLines: value.write(to: &json)
    case .object:
      json.object { json in
        var others = 0
        for (name, value) in value.members {
          let isCounted = origin.names == .counted && name == "other"
          if isCounted || origin.names != .program && search.isNamed(inPath: name) {
            others += origin.names == .counted ? value.count ?? 0 : 0
          } else {
            json.key(name)
            write(value, origin[name], to: &json)
          }
        }
        if others > 0 { json.member("other", others) }
      }
    case .array:
      json.array { json in for item in value.items { write(item, origin[nil], to: &json) } }
    case .string:
      let text = value.text ?? ""
      json.item(search.isNamed(inPath: text) ? "" : text)
    default: json.item(value)
    }
  }
}
