import Pipeline
import Stages

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
