package import Pipeline
package import Stages

/// Reads the mappings that a user names (`--mapping`, docs/guides/mapping.md).
package enum MappingFiles {
  private static let doing = "reading the mapping in"

  /// The mappings of `names`: files, or names of built-in ones (``BuiltInMapping``).
  ///
  /// - Throws: `usage` if one is not a valid mapping, with line, path and advice; `io`.
  package static func load(
    _ names: [String], system: System = .real
  ) throws(Failure) -> Mappings {
    var mappings = Mappings()
    for name in names {
      let text = try text(of: name, system)
      do throws(MappingFault) {
        try mappings.add(text.view)
      } catch {
        throw failure(error, in: name)
      }
    }
    mappings.seal()
    return mappings
  }

  /// Whether `name` is that of a built-in mapping.
  package static func isBuiltIn(_ name: String) -> Bool { BuiltInMapping(rawValue: name) != nil }

  private static func text(of name: String, _ system: System) throws(Failure) -> ByteBuffer {
    var text = ByteBuffer()
    if let mapping = BuiltInMapping(rawValue: name) {
      text.append(contentsOf: mapping.text)
      return text
    }
    let file = try open(name, system)
    // One byte more than the limit shows that the file is too long.
    try file.read(0..<min(file.size, Mappings.longestFile + 1), into: &text)
    return text
  }

  private static func open(_ name: String, _ system: System) throws(Failure) -> PositionedFile {
    do throws(Failure) {
      return try PositionedFile(named: name, doing: doing, system: system)
    } catch {
      let known = BuiltInMapping.allCases.map(\.rawValue)
      guard let near = NearestName.of(name, among: known) else { throw error }
      throw error.advising(["did you mean \(near), which is built in?"])
    }
  }

  private static func failure(_ fault: MappingFault, in name: String) -> Failure {
    let position = [
      fault.line.map { "line \($0)" }, fault.pointer.isEmpty ? nil : fault.pointer,
    ].compactMap { $0 }.joined(separator: ", ")
    return Failure(
      .usage, doing: doing, path: name,
      why: position.isEmpty ? fault.why : "\(position): \(fault.why)", advice: fault.advice)
  }
}
