import Pipeline
import Stages

/// Passes those lines of a block that the policy affects through the stages again, under the other
/// policy, and counts what each would accept and lose.
///
/// Runs after the migration and changes nothing that other stages see. Lines without rejects or
/// losses cost one pass over their events; one stage object per thread, which owns a unit.
struct PolicyStage: Stage {
  static let name = "policies"

  private let isStrict: Bool
  /// The stages that make records of the lines under the other policy.
  private let chain: StageChain<WorkUnit>
  /// The lines under the other policy.
  private let other = WorkUnit(blockSize: 1 << 12, shards: 1)
  /// The records of the block that match those of ``other``.
  private var records: [Int] = []
  /// The events of the lenient batch that strict rejects.
  private var saved: Set<Int> = []
  /// The events of the block with losses.
  private var lossy: Set<Int> = []

  /// A stage for a job with `rules`.
  init(rules: Rules) {
    isStrict = rules.v1 == .strict
    var opposite = rules
    opposite.v1 = isStrict ? .lenient : .strict
    chain = StageChain(Chains.canonical(opposite))
  }

  /// Compares the unit's lines; the result is the unit's `policies`.
  /// Complexity: O(events + losses + bytes of the lines that differ).
  mutating func process(_ unit: WorkUnit) {
    unit.notes.policies = PolicyComparison()
    select(from: unit)
    guard !records.isEmpty else { return }
    chain.process(other)
    compare(unit.batch, to: &unit.notes.policies)
    other.recycle()
  }

  /// Copies the lines that differ into the block of ``other``.
  private mutating func select(from unit: WorkUnit) {
    let batch = unit.batch
    records.recycle()
    other.block.content.removeAll()
    if !isStrict { markLosses(of: batch) }
    for index in batch.records.indices {
      let record = batch.records[index]
      guard record.form == .v1, !record.isRejected, record.eventCount > 0 else { continue }
      var isConcerned = record.eventIndices.contains { !batch.events[$0].isAccepted }
      if !isConcerned, !lossy.isEmpty {
        isConcerned = record.eventIndices.contains { lossy.contains($0) }
      }
      guard isConcerned else { continue }
      records.append(index)
      let line = batch.lines[Int(record.line)]
      let start = Int(line.start)
      other.block.content.append(unit.block.bytes[start..<start + Int(line.length)])
      other.block.content.append(UInt8(ascii: "\n"))
    }
    other.block.seal()
  }

  private mutating func markLosses(of batch: RecordBatch) {
    lossy.removeAll(keepingCapacity: true)
    for index in batch.lossSites.indices { lossy.insert(batch.lossSites[index].event.index) }
  }

  private mutating func compare(_ batch: RecordBatch, to result: inout PolicyComparison) {
    precondition(other.batch.records.count == records.count, "both policies read the same records")
    let strict = isStrict ? batch : other.batch
    let lenient = isStrict ? other.batch : batch
    saved.removeAll(keepingCapacity: true)
    for (position, index) in records.enumerated() {
      let ours = batch.records[index]
      let theirs = other.batch.records[position]
      let (one, two) = isStrict ? (ours, theirs) : (theirs, ours)
      for (event, counterpart) in zip(one.eventIndices, two.eventIndices)
      where strict.events[event].isRejected {
        let isSaved = !lenient.events[counterpart].isRejected
        result.lostByStrict += 1
        if isSaved { saved.insert(counterpart) } else { result.lostByLenient += 1 }
        for code in strict.codes(of: strict.events[event].reasons) {
          result[code].rejected += 1
          if isSaved { result[code].saved += 1 }
        }
      }
    }
    for index in 0..<lenient.losses.count
    where saved.contains(lenient.lossSites[index].event.index) {
      let code = lenient.losses[index].code
      result[code == .reservedKeyInV1 ? .reservedKey : code].dropped += 1
    }
  }
}

extension RecordBatch {
  /// The codes among some reasons, each once.
  fileprivate func codes(of range: ReasonRange) -> Set<ReasonCode> {
    Set(range.indices.map { reasons[$0].code })
  }
}
