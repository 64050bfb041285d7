package import Pipeline
import Stages

extension TrackingPlan {
  /// Reads the file `path`.
  ///
  /// - Throws: `usage`, when it is not a tracking plan, with the path in it and what is expected
  ///   there; `io`.
  package init(reading path: String, system: System = .real) throws(Failure) {
    let doing = "reading the tracking plan"
    func failure(_ why: String, _ advice: String) -> Failure {
      Failure(.usage, doing: doing, path: path, why: why, advice: advice)
    }
    let document: JSONDocument
    do throws(Failure) {
      document = try JSONDocument(reading: path, limit: Self.longest, doing: doing, system: system)
    } catch {
      guard error.kind == .corrupt else { throw error }
      throw failure(error.why, "write it as eventmill tracking infer does")
    }
    do throws(DocumentDamage) { try self.init(PlanField(document.root)) } catch {
      throw failure(error.why, "see docs/guides/tracking.md for what a plan may have")
    }
  }

  private init(_ root: PlanField) throws(DocumentDamage) {
    let all = ["$schema", "eventmill_plan", "description", "events"]
    for field in try root.fields(all) {
      switch field.name {
      case "$schema": try field.check(Self.schema, "\"\(Self.schema)\"")
      case "description": description = try field.scalar()
      case "events":
        events = try field.objects(
          typed: false, "called as events are in outputs, such as item_bought", Event.init)
      default: break
      }
    }
    guard root.value["eventmill_plan"]?.int == Self.version else {
      throw root.fault("must have \"eventmill_plan\": \(Self.version)")
    }
  }

  /// The document, sorted by bytes, with descriptions and owners for people to fill in.
  package func json(_ layout: JSONWriter.Layout = .pretty) -> ByteBuffer {
    JSONWriter.document(layout) { json in
      json.member("$schema", Self.schema)
      json.member("eventmill_plan", Self.version)
      json.member("description", description)
      json.object("events") { json in
        for (name, event) in events.sortedByKeys { json.object(name) { event.write(to: &$0) } }
      }
    }
  }

  /// A hash of the plan, whatever the form of its document.
  var hash: UInt64 {
    let text = json()
    return XXH64.hash(text.view)
  }
}

extension TrackingPlan.Event {
  fileprivate init(_ event: PlanField) throws(DocumentDamage) {
    let all = ["description", "owner", "type", "properties", "required", "additionalProperties"]
    var needed: [PlanField] = []
    isOpen = true
    for field in try event.fields(all) {
      switch field.name {
      case "description": description = try field.scalar()
      case "owner": owner = try field.scalar()
      case "type": try field.check("object", "\"object\", which holds the attributes of the event")
      case "properties":
        properties = try field.objects(
          typed: true, "a key as in outputs, such as price, date(due), url(page), $label or $tags",
          TrackingPlan.Property.init)
      case "required": needed = try field.items()
      default: isOpen = try field.scalar()
      }
    }
    for key in needed {
      required.insert(try key.scalar())
      try key.expect(properties[try key.scalar()], "one of the keys in \"properties\"")
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.member("description", description)
    json.member("owner", owner)
    json.member("type", "object")
    json.object("properties") { json in
      for (key, property) in properties.sortedByKeys {
        json.object(key) { property.write(key: key, to: &$0) }
      }
    }
    json.array("required", of: required.sortedByBytes)
    json.member("additionalProperties", isOpen)
  }
}

extension TrackingPlan.Property {
  fileprivate init(_ property: PlanField) throws(DocumentDamage) {
    let all = [
      "description", "owner", "type", "format", "items", "enum", "minimum", "maximum",
      "formatMinimum", "formatMaximum",
    ]
    for field in try property.fields(all) {
      switch field.name {
      case "description": description = try field.scalar()
      case "owner": owner = try field.scalar()
      case "type": types = try field.types()
      case "format":
        try field.check(
          KeyForm(of: property.name).format,
          "\"date-time\" for a key date(…) and \"uri\" for url(…), and is for these only")
      case "items":
        for part in try field.fields() {
          guard part.name == "type" else { throw part.fault("must be \"type\"") }
          items = try part.types()
        }
      case "enum":
        allowed = try field.items().map { value throws(DocumentDamage) in try value.scalar() }
        if allowed == [] { throw field.fault("must have a value") }
      case "minimum": least = try field.scalar()
      case "maximum": greatest = try field.scalar()
      case "formatMinimum": earliest = try field.time(key: property.name)
      default: latest = try field.time(key: property.name)
      }
    }
    if let least, let greatest, greatest < least {
      throw property.fault("must not have a \"maximum\" below its \"minimum\"")
    }
    if let earliest, let latest, latest < earliest {
      throw property.fault("must not have a \"formatMaximum\" before its \"formatMinimum\"")
    }
  }

  /// Writes the fields of the open object; `key` is the attribute's.
  fileprivate func write(key: String, to json: inout JSONWriter) {
    json.member("description", description)
    if !owner.isEmpty { json.member("owner", owner) }
    if types != .all { types.write(to: &json) }
    if let format = KeyForm(of: key).format { json.member("format", format) }
    if items != .all { json.object("items") { items.write(to: &$0) } }
    if let allowed { json.array("enum", of: allowed) }
    if let least { json.member("minimum", least) }
    if let greatest { json.member("maximum", greatest) }
    if let earliest { json.member("formatMinimum", Timestamp.text(earliest)) }
    if let latest { json.member("formatMaximum", Timestamp.text(latest)) }
  }

}

extension ValueTypes {
  /// Writes the names, a single one as text or several in an array.
  fileprivate func write(to json: inout JSONWriter) {
    if names.count == 1 { json.member("type", names[0]) } else { json.array("type", of: names) }
  }
}

/// A value of a plan that a person may have written, and its path: `events.e.required[0]`.
private struct PlanField {
  let name: String
  private let path: String
  let value: JSONValue

  init(_ root: JSONValue) { (name, path, value) = ("", "", root) }

  private init(_ name: String, _ path: String, _ value: JSONValue) {
    (self.name, self.path, self.value) = (name, path, value)
  }

  func fault(_ why: String) -> DocumentDamage {
    path.isEmpty ? DocumentDamage(why) : DocumentDamage(why).inside(path)
  }

  @discardableResult
  func expect<Value>(_ value: Value?, _ expected: String) throws(DocumentDamage) -> Value {
    guard let value else { throw fault("must be \(expected)") }
    return value
  }

  /// Checks that it is `text`; nothing is if that is nil.
  func check(_ text: String?, _ expected: String) throws(DocumentDamage) {
    try expect(text == value.text ? text : nil, expected)
  }

  func scalar<Value: DocumentScalar>() throws(DocumentDamage) -> Value {
    try expect(Value(value), Value.expected)
  }

  func items() throws(DocumentDamage) -> [PlanField] {
    try expect(value.kind == .array ? value.items : nil, "an array").enumerated().map {
      PlanField("\($0)", "\(path)[\($0)]", $1)
    }
  }

  /// Its fields; with `known` without those that are for people, and no others but these.
  func fields(_ known: [String]? = nil) throws(DocumentDamage) -> [PlanField] {
    var names: Set<String> = []
    var fields: [PlanField] = []
    for (name, value) in try expect(value.kind == .object ? value.members : nil, "an object") {
      let field = PlanField(name, path.isEmpty ? name : "\(path).\(name)", value)
      guard names.insert(name).inserted else { throw field.fault("is there twice") }
      if let known, !known.contains(name) {
        if name.hasPrefix("x-") { continue }
        if ["owner", "title", "examples", "deprecated", "$comment"].contains(name) { continue }
        throw field.fault("is unknown here; expected one of \(known.joined(separator: ", "))")
      }
      fields.append(field)
    }
    return fields
  }

  /// Its fields as objects by name: of events or, with `typed`, attributes.
  func objects<Object>(
    typed: Bool, _ expected: String, _ object: (PlanField) throws(DocumentDamage) -> Object
  ) throws(DocumentDamage) -> [String: Object] {
    var objects: [String: Object] = [:]
    for field in try fields() {
      guard KeyName.isStored(field.name, typed: typed) else {
        throw field.fault("must be \(expected)")
      }
      objects[field.name] = try object(field)
    }
    return objects
  }

  func time(key: String) throws(DocumentDamage) -> Int {
    guard KeyForm(of: key) == .date else { throw fault("is for keys date(…) only") }
    let text = ByteBuffer(text: try scalar())
    return try expect(Timestamp.parse(text.view), "a time such as 2024-06-01T00:00:00Z")
  }

  func types() throws(DocumentDamage) -> ValueTypes {
    let all = ValueTypes.named.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let types = try (value.kind == .array ? items() : [self]).map { item throws(DocumentDamage) in
      try item.expect(ValueTypes.named.first { $0.name == item.value.text }?.type, "one of \(all)")
    }
    if types.isEmpty { throw fault("must name a type") }
    return ValueTypes(types)
  }
}

extension KeyName {
  /// Whether `text` is a name in the form of outputs, or with `typed` an attribute key.
  fileprivate static func isStored(_ text: String, typed: Bool) -> Bool {
    if typed, text == "$label" || text == "$tags" { return true }
    let raw = ByteBuffer(text: text)
    let (kind, inner) = KeyName.kind(of: raw.view)
    guard let form = kind.form, typed || form == .plain else { return false }
    return !Characters.nameShape(raw[inner]).isMixed
  }
}

extension Dictionary where Key == String {
  var sortedByKeys: [(key: String, value: Value)] { sorted(byBytesOf: \.key) }
}
