package import Pipeline
package import Stages

/// Reads the mappings that a user names (`--mapping`, docs/guides/mapping.md).
package enum MappingFiles {
  private static let doing = "reading the mapping in"

  /// The mappings of `names`: files, or names of built-in ones (``BuiltInMapping``).
  package static func load(_ names: [String], system: System = .real) throws(Failure) -> Mappings {
    var mappings = Mappings()
    for name in names {
      let text = try text(of: name, system)
      do throws(MappingFault) { try mappings.add(text.view) } catch {
        throw failure(error, in: name)
      }
    }
    return mappings
  }

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
    let position = [fault.line.map { "line \($0)" }, fault.pointer.isEmpty ? nil : fault.pointer]
      .compactMap { $0 }.joined(separator: ", ")
    return Failure(
      .usage, doing: doing, path: name,
      why: position.isEmpty ? fault.why : "\(position): \(fault.why)", advice: fault.advice)
  }
}

/// Which built-in mapping fits the lines of an unknown log.
enum FittingMapping {
  /// Bytes of the lines that are tried: enough for a few hundred of most systems.
  private static let sample = 64 << 10

  /// The mapping that accepts a part of most of the first of these `lines`, and of at least half of
  /// them; of several the one that leaves least out. Nil when none does. Complexity: O(mappings).
  static func of(_ lines: ByteView) -> BuiltInMapping? {
    // At least the first line.
    let start = lines[0..<min(lines.count, sample)]
    let end =
      lines.count <= sample
      ? lines.count : NewlineScan(start).last ?? lines.firstIndex(of: JSONByte.lineFeed)
    var best: (mapping: BuiltInMapping, accepted: Int, losses: Int)?
    for mapping in BuiltInMapping.allCases {
      var rules = Rules()
      guard let loaded = try? MappingFiles.load([mapping.rawValue]) else { continue }
      rules.mappings = loaded
      let batch = WorkUnit.read(lines[0..<(end ?? lines.count)], by: rules).batch
      // Built-in dialects take what the mapping does not.
      let accepted = batch.records.indices.lazy.map { batch.records[$0] }
        .filter { batch.isTaken($0) && $0.dialect.isMapped }
      let count = Set(accepted.map(\.line)).count
      guard count > 0, count * 2 >= batch.lines.count else { continue }
      if best.map({ ($0.accepted, -$0.losses) < (count, -batch.losses.count) }) ?? true {
        best = (mapping, count, batch.losses.count)
      }
    }
    return best?.mapping
  }
}

extension WorkUnit {
  /// A unit with the records of lines, and with their losses.
  static func read(_ lines: ByteView, by rules: Rules) -> WorkUnit {
    let unit = WorkUnit(blockSize: lines.count + 1, shards: 1)
    unit.block.clear(of: 0)
    unit.block.content.append(lines)
    unit.block.content.append(JSONByte.lineFeed)
    unit.block.seal()
    StageChain(Chains.canonical(rules, needsValues: true)).process(unit)
    return unit
  }
}
