package import Pipeline

extension TrackingPlan {
  /// A hash of the plan, whatever the form of its document.
  var hash: UInt64 {
    let text = json()
    return XXH64.hash(text.view)
  }

  /// The document, sorted by the bytes of names and keys. Empty descriptions and owners are also
  /// written, for people to fill in.
  package func json(_ layout: JSONWriter.Layout = .pretty) -> ByteBuffer {
    JSONWriter.document(layout) { json in
      json.member("$schema", Self.schema)
      json.member("eventmill_plan", Self.version)
      json.member("description", description)
      json.object("events") { json in
        for (name, event) in events.sortedByKeys {
          json.object(named: name) { json in event.write(to: &json) }
        }
      }
    }
  }
}

extension TrackingPlan.Event {
  /// Writes the fields of the open object.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("description", description)
    json.member("owner", owner)
    json.member("type", "object")
    json.object("properties") { json in
      for (key, property) in properties.sortedByKeys {
        json.object(named: key) { json in property.write(key: key, to: &json) }
      }
    }
    json.array("required", of: required.sortedByBytes)
    json.member("additionalProperties", isOpen)
  }
}

extension TrackingPlan.Property {
  /// Writes the fields of the open object; `key` is the attribute's.
  fileprivate func write(key: String, to json: inout JSONWriter) {
    json.member("description", description)
    if !owner.isEmpty { json.member("owner", owner) }
    if types != .all { types.write("type", to: &json) }
    if let format = Self.format(of: key) { json.member("format", format) }
    if items != .all { json.object("items") { json in items.write("type", to: &json) } }
    if let allowed {
      json.array("enum") { json in
        for value in allowed {
          switch value {
          case .text(let text): json.item(text)
          case .number(let number): json.item(number)
          case .bool(let isTrue): json.item(isTrue)
          }
        }
      }
    }
    if let least { json.member("minimum", least) }
    if let greatest { json.member("maximum", greatest) }
    if let earliest { json.member("formatMinimum", Timestamp.text(earliest)) }
    if let latest { json.member("formatMaximum", Timestamp.text(latest)) }
  }

  /// The JSON Schema format of the values under a typed key.
  static func format(of key: String) -> String? {
    if key.hasPrefix("date(") { return "date-time" }
    return key.hasPrefix("url(") ? "uri" : nil
  }
}

extension ValueTypes {
  /// Writes the names, a single one as text or several in an array.
  fileprivate func write(_ key: StaticString, to json: inout JSONWriter) {
    let names = names
    if names.count == 1 { json.member(key, names[0]) } else { json.array(key, of: names) }
  }
}

extension Dictionary where Key == String {
  /// The entries in byte order of their keys.
  var sortedByKeys: [(key: String, value: Value)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
