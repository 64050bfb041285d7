import Pipeline

struct MappingField {
  let value: JSONValue
  /// The path of the value, as a JSON Pointer.
  let pointer: String
  /// The object or list that contains the value.
  private let outer: JSONValue?

  /// Most characters of a name in a message.
  private static let longestName = 60

  init(value: JSONValue) { (self.value, pointer, outer) = (value, "", nil) }

  private init(_ value: JSONValue, _ step: String, in outer: MappingField) {
    (self.value, pointer, self.outer) = (value, outer.pointer + step, outer.value)
  }

  /// The fields of an object, each once.
  func members() throws(MappingFault) -> [(name: String, field: MappingField)] {
    try check(value.kind == .object, "it must be an object", "write {…}")
    var names: Set<String> = []
    var members: [(name: String, field: MappingField)] = []
    for (name, value) in value.members {
      let field = MappingField(value, JSONPointer.step(name), in: self)
      try field.check(
        names.insert(name).inserted, "it occurs twice here", "leave one of them")
      members.append((name, field))
    }
    return members
  }

  /// The fields of an object, by name. Throws if one is not in `known`.
  func fields(_ known: [String]) throws(MappingFault) -> [String: MappingField] {
    var fields: [String: MappingField] = [:]
    for (name, field) in try members() {
      guard known.contains(name) else {
        let shown = String(name.prefix(Self.longestName))
        throw field.fault(
          "there is no field \"\(shown)\" here",
          NearestName.of(shown, among: known).map { "did you mean \"\($0)\"?" }
            ?? "there are \(known.joined(separator: ", "))")
      }
      fields[name] = field
    }
    return fields
  }

  func fieldsOfObject(_ known: [String]) throws(MappingFault) -> [String: MappingField] {
    value.kind == .object ? try fields(known) : [:]
  }

  /// The items of a list, or the value itself as the only item.
  var list: [MappingField] {
    guard value.kind == .array else { return [self] }
    return value.items.enumerated().map { MappingField($0.element, "/\($0.offset)", in: self) }
  }

  func text() throws(MappingFault) -> String {
    guard let text = value.text, !text.isEmpty else {
      throw fault("it must be text", "write it in quotes")
    }
    return text
  }

  func flag() throws(MappingFault) -> Bool {
    guard let flag = value.bool else {
      throw fault("it must be true or false", "write one of them")
    }
    return flag
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type
  ) throws(MappingFault) -> Choice {
    if let choice = value.text.flatMap(Choice.init(rawValue:)) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw fault(
      "it must be one of \(words.joined(separator: ", "))",
      value.text.flatMap { NearestName.of(String($0.prefix(Self.longestName)), among: words) }.map {
        "did you mean \"\($0)\"?"
      }
        ?? "write one of them")
  }

  /// Throws unless the value fits.
  func check(
    _ fits: Bool, _ why: @autoclosure () -> String, _ advice: @autoclosure () -> String
  ) throws(MappingFault) {
    if !fits { throw fault(why(), advice()) }
  }

  func fault(_ why: String, _ advice: String) -> MappingFault {
    MappingFault(pointer: pointer, line: line, why: why, advice: advice)
  }

  /// The line in which the value begins or, for texts with escapes, what contains it.
  private var line: Int? { value.line ?? outer?.line }
}
