import Pipeline
import Stages

/// Which built-in mapping fits the lines of an unknown log.
enum FittingMapping {
  /// Bytes of the lines that are tried: enough for a few hundred of most systems.
  private static let sample = 64 << 10

  /// The mapping that accepts most of the first lines of `text`, and at least half of them; of
  /// several the one that leaves least of them out. Nil when none does. Complexity: O(mappings).
  static func of(_ text: ByteView) -> BuiltInMapping? {
    let lines = text[0..<min(text.count, sample)]
    let end = NewlineScan(lines).last.map { $0 + 1 } ?? 0
    let unit = WorkUnit(blockSize: max(end, 1), shards: 1)
    unit.block.clear(of: 0)
    unit.block.content.append(lines[0..<end])
    unit.block.seal()
    var best: (mapping: BuiltInMapping, accepted: Int, losses: Int)?
    for mapping in BuiltInMapping.allCases {
      var rules = Rules()
      guard let loaded = try? MappingFiles.load([mapping.rawValue]) else { continue }
      rules.mappings = loaded
      StageChain(Chains.valid(rules, needsValues: true)).process(unit)
      let batch = unit.batch
      let accepted = batch.records.indices.count { batch.isTaken(batch.records[$0]) }
      guard accepted * 2 >= batch.lines.count, accepted > 0 else { continue }
      let isBetter =
        best.map { ($0.accepted, -$0.losses) < (accepted, -batch.losses.count) } ?? true
      if isBetter { best = (mapping, accepted, batch.losses.count) }
    }
    return best?.mapping
  }
}
