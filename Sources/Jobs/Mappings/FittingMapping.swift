import Pipeline
import Stages

/// How the first lines of an unknown log are read by mappings, and which built-in one fits them.
enum FittingMapping {
  /// Bytes of the lines that are tried: enough for a few hundred of most systems.
  static let sample = 64 << 10

  /// The mapping that accepts most of the first lines of `text`, and at least half of them; of
  /// several the one that leaves least of them out. Nil when none does. Complexity: O(mappings).
  static func of(_ text: ByteView) -> BuiltInMapping? {
    var best: (mapping: BuiltInMapping, trial: Trial)?
    for mapping in BuiltInMapping.allCases {
      guard let mappings = try? MappingFiles.load([mapping.rawValue]) else { continue }
      let trial = Trial(mappings, text)
      if trial.isGood, best.map({ $0.trial < trial }) ?? true { best = (mapping, trial) }
    }
    return best?.mapping
  }

  /// What mappings make of the first lines of a text.
  struct Trial: Comparable {
    private var lines = 0
    /// Lines that they have accepted a part of.
    private var accepted = 0
    private var losses = 0
    /// The dialect of the first of these.
    private(set) var dialect: Dialect?

    /// `text` is whole lines. Without mappings, what the built-in dialects make of them.
    init(_ mappings: Mappings, _ text: ByteView) {
      var lines = text[0..<min(text.count, FittingMapping.sample)]
      if lines.count < text.count { lines = lines[0..<(NewlineScan(lines).last ?? 0)] }
      var rules = Rules()
      rules.mappings = mappings
      let batch = WorkUnit.read(lines, by: rules).batch
      let dialects = mappings.all.map(\.dialect)
      let taken = batch.records.indices.lazy.map { batch.records[$0] }.filter {
        batch.isTaken($0) && (dialects.isEmpty || dialects.contains($0.dialect))
      }
      (self.lines, accepted) = (batch.lines.count, Set(taken.map(\.line)).count)
      (losses, dialect) = (batch.losses.count, taken.first?.dialect)
    }

    /// Whether at least half of the lines are accepted.
    var isGood: Bool { accepted > 0 && accepted * 2 >= lines }

    /// Whether `b` accepts more lines, or the same with fewer losses.
    static func < (a: Trial, b: Trial) -> Bool {
      (a.accepted, -a.losses) < (b.accepted, -b.losses)
    }
  }
}

extension WorkUnit {
  /// A unit with the records of lines, as the first stages of all jobs make them.
  static func read(_ lines: ByteView, by rules: Rules) -> WorkUnit {
    let unit = WorkUnit(blockSize: lines.count + 1, shards: 1)
    unit.block.clear(of: 0)
    unit.block.content.append(lines)
    unit.block.content.append(JSONByte.lineFeed)
    unit.block.seal()
    StageChain(Chains.valid(rules, needsValues: true)).process(unit)
    return unit
  }
}
