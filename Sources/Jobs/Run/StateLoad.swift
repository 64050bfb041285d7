import Pipeline
import Stages

/// Reads a whole state into shards, when it cannot be copied.
struct StateLoad {
  let previous: [Int: SortedRun]
  let names: RunNames
  let keepsIDs: Bool
  /// The partitions to read, and the total number of partitions.
  let partitions: Range<Int>
  let ofPartitions: Int
  var sections = KeySection.allCases
  /// The keys to erase from the state before the merge.
  let erasures: Erasures

  /// Merges the state into `shards`. Returns what was erased from it.
  func run(
    into shards: [ProfileShard], jobs: Int, control: JobControl
  ) throws(Failure) -> SnapshotTally {
    let sections = sections.filter { keepsIDs || $0 != .anonymous }
    let pieces = previous.sorted { $0.key < $1.key }.flatMap { partition, part in
      sections.flatMap { section in part.stretches(section).map { (partition, $0) } }
    }
    shards.first?.expect(previous)
    let lanes = try (0..<jobs).map { _ throws(Failure) in
      Exclusive(try StateLane(self, shards: shards.count))
    }
    let flow = Flow(
      units: 2 * jobs + 2, of: { StateUnit(shards: shards.count) },
      cores: try control.cores(jobs),
      fill: { $0.sequence < pieces.count },
      lanes: lanes.map { lane in
        lane.part { lane in
          { unit throws(Failure) in
            let (partition, stretch) = pieces[unit.sequence]
            try lane.read(stretch, ofPart: partition, into: unit)
          }
        }
      },
      shards: shards.map { $0.append(states:) },
      finish: { _ in })
    try control.run(flow)
    var tally = SnapshotTally()
    for lane in lanes { tally.merge(lane.use { $0.tally }) }
    return tally
  }
}

/// The keys of a key range of the state on their way into the shards.
final class StateUnit: FlowUnit {
  var sequence = 0
  let slices: [StateSlice]

  init(shards: Int) { slices = (0..<shards).map { _ in StateSlice() } }

  func recycle() { for slice in slices { slice.removeAll() } }
}

/// Turns key ranges of the state into slices. One per lane.
private final class StateLane {
  private let load: StateLoad
  private let shards: Int
  private let cursor: RunCursor
  private var compactor = MutationCompactor()
  private var records = ByteBuffer()
  private(set) var tally = SnapshotTally()

  init(_ load: StateLoad, shards: Int) throws(Failure) {
    self.load = load
    self.shards = shards
    cursor = try RunCursor(names: load.names)
  }

  func read(_ stretch: Int, ofPart partition: Int, into unit: StateUnit) throws(Failure) {
    guard let part = load.previous[partition] else { return }
    let partitions = load.previous.count
    try cursor.begin(stretch: stretch, of: part)
    while let key = try cursor.next() {
      let hash = XXH64.hash(key.key)
      guard KeyHash.partition(hash, of: partitions) == partition else {
        throw part.state.damaged("a key in it belongs to another part")
      }
      var state = try cursor.whole(keepsIDs: load.keepsIDs)
      guard load.partitions ~= KeyHash.partition(hash, of: load.ofPartitions), !erase(&state)
      else { continue }
      if KeySection(of: state.key) != .anonymous {
        state.copyEarlierRecords(to: &records)
        state.records = records.view
      }
      state.append(to: &unit.slices[ShardRoute.shard(of: hash, count: shards)].bytes)
    }
  }

  /// Erases the requested records of a key; true when the whole key is removed. The remaining
  /// records belong to the lane until the next key.
  private func erase(_ state: inout KeyState) -> Bool {
    guard let section = KeySection(of: state.key), section != .anonymous,
      load.erasures.mark(of: state.key) != nil
    else { return false }
    var isGone = false
    var duplicates = DuplicateTally()
    compactor.begin()
    compactor.add(state.records, from: .state)
    compactor.finish(duplicates: &duplicates) { rows in
      isGone = load.erasures.erase(state.key, &rows, linksAreComplete: false, &tally)
    }
    state.records = compactor.bytes.view
    return isGone
  }
}
