package import Pipeline
import Stages

extension TrackingPlan {
  /// Reads the file `path`.
  ///
  /// - Throws: `usage`, when it is not a tracking plan, with the path in it and what is expected
  ///   there; `io`.
  package init(reading path: String, system: System = .real) throws(Failure) {
    let doing = "reading the tracking plan"
    do throws(Failure) {
      let document = try JSONDocument(
        reading: path, limit: Self.longest, doing: doing, system: system)
      self = try Self.plan(document.root, path)
    } catch {
      guard error.kind == .corrupt else { throw error }
      throw Failure(
        .usage, doing: doing, path: path, why: error.why,
        advice: "write it as eventmill tracking infer does")
    }
  }

  private static func plan(_ root: JSONValue, _ file: String) throws(Failure) -> TrackingPlan {
    do throws(PlanField.Fault) {
      return try TrackingPlan(PlanField(root))
    } catch {
      throw Failure(
        .usage, doing: "reading the tracking plan", path: file,
        why: (error.path.isEmpty ? "it " : "\(error.path) ") + error.why,
        advice: "see docs/guides/tracking.md for what a plan may have")
    }
  }

  private init(_ root: PlanField) throws(PlanField.Fault) {
    var version: Int?
    for field in try root.fields() {
      switch field.name {
      case "$schema":
        guard field.value.text == Self.schema else {
          throw field.fault("must be \"\(Self.schema)\"")
        }
      case "eventmill_plan": version = field.value.int
      case "description": description = try field.text()
      case "events":
        for event in try field.fields() {
          guard KeyName.isStored(event.name, typed: false) else {
            throw event.fault("must be called as events are in outputs, such as item_bought")
          }
          events[event.name] = try Event(event)
        }
      default: try field.checkNote(among: ["$schema", "eventmill_plan", "description", "events"])
      }
    }
    guard version == Self.version else {
      throw root.fault("must have \"eventmill_plan\": \(Self.version)")
    }
  }
}

extension TrackingPlan.Event {
  private static let fields = [
    "description", "owner", "type", "properties", "required", "additionalProperties",
  ]

  fileprivate init(_ event: PlanField) throws(PlanField.Fault) {
    var needed: [PlanField] = []
    isOpen = true
    for field in try event.fields() {
      switch field.name {
      case "description": description = try field.text()
      case "owner": owner = try field.text()
      case "type":
        guard field.value.text == "object" else {
          throw field.fault("must be \"object\", which holds the attributes of the event")
        }
      case "properties":
        for property in try field.fields() {
          guard KeyName.isStored(property.name, typed: true) else {
            throw property.fault(
              "must be a key as in outputs, such as price, date(due), url(page), $label or $tags")
          }
          properties[property.name] = try TrackingPlan.Property(property)
        }
      case "required": needed = try field.items()
      case "additionalProperties": isOpen = try field.bool()
      default: try field.checkNote(among: Self.fields)
      }
    }
    for key in needed {
      guard properties[try key.text()] != nil else {
        throw key.fault("must be one of the keys in \"properties\"")
      }
      required.insert(try key.text())
    }
  }
}

extension TrackingPlan.Property {
  private static let fields = [
    "description", "owner", "type", "format", "items", "enum", "minimum", "maximum",
    "formatMinimum", "formatMaximum",
  ]

  fileprivate init(_ property: PlanField) throws(PlanField.Fault) {
    for field in try property.fields() {
      switch field.name {
      case "description": description = try field.text()
      case "owner": owner = try field.text()
      case "type": types = try field.types()
      case "format":
        guard let format = Self.format(of: property.name), field.value.text == format else {
          throw field.fault(
            "must be \"date-time\" for a key date(…) and \"uri\" for url(…), and is for these only")
        }
      case "items":
        for part in try field.fields() {
          guard part.name == "type" else { throw part.fault("must be \"type\"") }
          items = try part.types()
        }
      case "enum": allowed = try field.allowedValues()
      case "minimum": least = try field.number()
      case "maximum": greatest = try field.number()
      case "formatMinimum": earliest = try field.time(key: property.name)
      case "formatMaximum": latest = try field.time(key: property.name)
      default: try field.checkNote(among: Self.fields)
      }
    }
    if let least, let greatest, greatest < least {
      throw property.fault("must not have a \"maximum\" below its \"minimum\"")
    }
    if let earliest, let latest, latest < earliest {
      throw property.fault("must not have a \"formatMaximum\" before its \"formatMinimum\"")
    }
  }
}

/// A value of a plan, and its path.
private struct PlanField {
  /// A fault of a plan.
  struct Fault: Error {
    /// As in `events.item_bought.required[0]`; empty for the whole document.
    let path: String
    /// The text after the path.
    let why: String
  }

  /// Fields for people, without a meaning for this program.
  private static let notes: Set<String> = ["title", "examples", "deprecated", "$comment"]
  private static let ownNote = "x-"

  let name: String
  let path: String
  let value: JSONValue

  init(_ root: JSONValue) { (name, path, value) = ("", "", root) }

  private init(_ name: String, _ path: String, _ value: JSONValue) {
    (self.name, self.path, self.value) = (name, path, value)
  }

  func fault(_ why: String) -> Fault { Fault(path: path, why: why) }

  func fields() throws(Fault) -> [PlanField] {
    guard value.kind == .object else { throw fault("must be an object") }
    var names: Set<String> = []
    var fields: [PlanField] = []
    for (name, value) in value.members {
      let field = PlanField(name, path.isEmpty ? name : "\(path).\(name)", value)
      guard names.insert(name).inserted else { throw field.fault("is there twice") }
      fields.append(field)
    }
    return fields
  }

  func items() throws(Fault) -> [PlanField] {
    guard value.kind == .array else { throw fault("must be an array") }
    return value.items.enumerated().map { PlanField("\($0)", "\(path)[\($0)]", $1) }
  }

  func text() throws(Fault) -> String {
    guard let text = value.text else { throw fault("must be a text") }
    return text
  }

  func bool() throws(Fault) -> Bool {
    guard let bool = value.bool else { throw fault("must be true or false") }
    return bool
  }

  func number() throws(Fault) -> PlanNumber {
    guard value.kind == .integer || value.kind == .double, let number = PlanNumber(value.source)
    else { throw fault("must be a number") }
    return number
  }

  /// A time that bounds the values of `key`.
  func time(key: String) throws(Fault) -> Int {
    guard key.hasPrefix("date(") else { throw fault("is for keys date(…) only") }
    let text = ByteBuffer(text: try self.text())
    guard let time = Timestamp.parse(text.view) else {
      throw fault("must be a time such as 2024-06-01T00:00:00Z")
    }
    return time
  }

  func types() throws(Fault) -> ValueTypes {
    var types: ValueTypes = []
    for item in value.kind == .array ? try items() : [self] {
      guard let type = ValueTypes.named.first(where: { $0.name == item.value.text })?.type else {
        throw item.fault(
          "must be one of \(ValueTypes.named.map { "\"\($0.name)\"" }.joined(separator: ", "))")
      }
      types.insert(type)
    }
    if types.isEmpty { throw fault("must name a type") }
    return types
  }

  func allowedValues() throws(Fault) -> [AllowedValue] {
    var values: [AllowedValue] = []
    for item in try items() {
      if let text = item.value.text {
        values.append(.text(text))
      } else if let bool = item.value.bool {
        values.append(.bool(bool))
      } else if item.value.kind == .integer || item.value.kind == .double {
        values.append(.number(try item.number()))
      } else {
        throw item.fault("must be a text, a number, true or false")
      }
    }
    if values.isEmpty { throw fault("must have a value") }
    return values
  }

  /// Checks that the field, which has no meaning for this program, is one for people and not
  /// misspelt.
  func checkNote(among fields: [String]) throws(Fault) {
    if Self.notes.contains(name) || name.hasPrefix(Self.ownNote) { return }
    throw fault("is unknown here; expected one of \(fields.joined(separator: ", "))")
  }
}

extension KeyName {
  /// Whether `text` is a name in the form of outputs, or with `typed` an attribute key.
  fileprivate static func isStored(_ text: String, typed: Bool) -> Bool {
    if typed, text == "$label" || text == "$tags" { return true }
    let raw = ByteBuffer(text: text)
    let (kind, inner) = KeyName.kind(of: raw.view)
    guard kind == .plain || typed && (kind == .date || kind == .url) else { return false }
    return !Characters.nameShape(raw[inner]).isMixed
  }
}
