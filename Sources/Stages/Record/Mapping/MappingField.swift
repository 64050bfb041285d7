import Pipeline

/// A value of a mapping file, and where it stands.
struct MappingField {
  let value: JSONValue
  /// As a JSON Pointer.
  let pointer: String
  /// The object or list that the value is in.
  private let outer: JSONValue?

  /// Characters of the longest name that is repeated in a fault, and compared with known ones.
  private static let longestName = 60

  /// The whole file.
  init(value: JSONValue) { (self.value, pointer, outer) = (value, "", nil) }

  private init(_ value: JSONValue, _ step: String, in outer: MappingField) {
    (self.value, pointer, self.outer) = (value, outer.pointer + step, outer.value)
  }

  /// The fields of an object, each of which must occur once.
  func members() throws(MappingFault) -> [(name: String, field: MappingField)] {
    guard value.kind == .object else { throw fault("it must be an object", "write {…}") }
    var names: Set<String> = []
    var members: [(name: String, field: MappingField)] = []
    for (name, value) in value.members {
      let field = MappingField(value, JSONPointer.step(name), in: self)
      guard names.insert(name).inserted else {
        throw field.fault("it occurs twice here", "leave one of them")
      }
      members.append((name, field))
    }
    return members
  }

  /// The fields of an object, which must all be known.
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

  /// The items of a list, or the value itself where that stands for a list of one.
  var list: [MappingField] {
    guard value.kind == .array else { return [self] }
    return value.items.enumerated().map { MappingField($0.element, "/\($0.offset)", in: self) }
  }

  /// A text that is not empty.
  func text() throws(MappingFault) -> String {
    guard let text = value.text, !text.isEmpty else {
      throw fault("it must be text", "write it in quotes")
    }
    return text
  }

  /// The value that one of `words` stands for.
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

  func fault(_ why: String, _ advice: String) -> MappingFault {
    MappingFault(pointer: pointer, line: line, why: why, advice: advice)
  }

  /// The line in which the value begins; of text with escapes it is not known, and that of what it
  /// is in counts.
  private var line: Int? { value.line ?? outer?.line }
}
