import Pipeline
import Stages

/// Reads a whole state into shards: when it cannot be copied from, because options or program were
/// others.
struct StateLoad {
  let parts: [PreviousRun.Part]
  let names: RunNames
  let keepsIDs: Bool
  /// The partitions whose keys are wanted, and how many there are.
  let partitions: Range<Int>
  let ofPartitions: Int
  /// Whose data is taken out of the state before anything else joins it.
  let erasures: Erasures
  let system: System

  /// Merges the state into `shards`. Returns what was erased of it.
  ///
  /// - Throws: `corrupt` for a state that does not fit its format or its manifest; `io`.
  func run(
    into shards: [ProfileShard], jobs: Int, control: JobControl
  ) throws(Failure) -> SnapshotTally {
    let source = Exclusive(StateSource(parts, system))
    let lanes = (0..<jobs).map { _ in Exclusive(StateLane(self, shards: shards.count)) }
    let flow = try Flow(
      fill: source.part { $0.fill },
      lanes: lanes.map { lane in lane.part { $0.read } },
      shards: shards.map { $0.merge },
      finish: { _ in },
      pool: UnitPool(size: 2 * jobs + 2) { StateUnit(shards: shards.count) })
    try control.run(flow)
    var tally = SnapshotTally()
    for lane in lanes { tally.merge(lane.use { $0.tally }) }
    return tally
  }
}

/// A block of state lines on its way into the shards.
final class StateUnit: FlowUnit {
  var sequence = 0
  let block = Block(capacity: BlockReader.defaultBlockSize)
  let tape = Tape(numbersNames: false)
  let slices: [StateSlice]
  var path = ""
  var header = StateHeader(partition: 0, partitions: 1)

  init(shards: Int) { slices = (0..<shards).map { _ in StateSlice() } }
}

/// Reads the parts of a state one after the other. On the reader's queue only.
private final class StateSource {
  /// A line of state holds one whole key, with everything ever added to it, so it gets a wide
  /// limit.
  private static let maxLine = 1 << 30

  private let parts: [PreviousRun.Part]
  private let system: System
  private var next = 0
  private var reader: BlockReader?
  private var header: StateHeader?
  /// The partitions that were read, and of how many the first part said it is one.
  private var read: Set<Int> = []
  private var partitions: Int?
  private let tape = Tape(numbersNames: false)

  init(_ parts: [PreviousRun.Part], _ system: System) {
    self.parts = parts
    self.system = system
  }

  func fill(_ unit: StateUnit) throws(Failure) -> Bool {
    while true {
      if let reader {
        if try reader.fill(unit.block) {
          try describe(unit)
          return true
        }
        try finish(reader)
      }
      guard next < parts.count else {
        try checkWhole()
        return false
      }
      header = nil
      reader = try BlockReader(
        InputFile(path: parts[next].path, size: parts[next].bytes), index: next,
        maxLine: StateSource.maxLine, system: system)
    }
  }

  /// Every partition must have been read once: one that is missing would be lost in silence, one
  /// that is there twice would count twice.
  private func checkWhole() throws(Failure) {
    guard let partitions, read.count != partitions else { return }
    throw PreviousRun.damaged(
      parts[0].path, "its state has \(partitions) parts, but \(read.count) are listed")
  }

  private func describe(_ unit: StateUnit) throws(Failure) {
    let path = parts[next].path
    if header == nil {
      tape.bind(to: unit.block.bytes)
      let end = unit.block.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
      guard unit.block.overlong == nil, UTF8Check.isValid(unit.block.bytes[0..<end]),
        case .value(let root) = Scanner.scan(line: 0..<end, into: tape)
      else { throw PreviousRun.damaged(path, "its first line is no state header") }
      header = try StateHeader.read(root: root, of: tape, path: path)
    }
    guard let header else { preconditionFailure("a block of state follows its header") }
    unit.path = path
    unit.header = header
  }

  private func finish(_ done: BlockReader) throws(Failure) {
    let part = parts[next]
    let summary = done.summary
    done.close()
    reader = nil
    next += 1
    guard summary.hash == part.hash else {
      throw PreviousRun.damaged(part.path, "its content is not what its manifest says")
    }
    guard let header else { throw PreviousRun.damaged(part.path, "it is empty") }
    partitions = partitions ?? header.partitions
    guard partitions == header.partitions, read.insert(header.partition).inserted else {
      throw PreviousRun.damaged(
        part.path,
        "it is part \(header.partition) of \(header.partitions), which does not fit the "
          + "other parts")
    }
  }
}

/// Turns blocks of state lines into slices. One per lane.
private final class StateLane {
  private let load: StateLoad
  private let shards: Int
  private var path = ""
  private var reader: StateReader?
  private var compactor = MutationCompactor()
  /// What was erased.
  private(set) var tally = SnapshotTally()

  init(_ load: StateLoad, shards: Int) {
    self.load = load
    self.shards = shards
  }

  func read(_ unit: StateUnit) throws(Failure) {
    for slice in unit.slices { slice.removeAll() }
    if unit.path != path || reader == nil {
      path = unit.path
      reader = StateReader(
        path: path, header: unit.header, names: load.names, keepsIDs: load.keepsIDs)
    }
    unit.tape.bind(to: unit.block.bytes)
    guard unit.block.overlong == nil else {
      throw PreviousRun.damaged(path, "line \(unit.block.firstLine) is too long")
    }
    var lines = LineCursor(bytes: unit.block.bytes)
    var number = unit.block.firstLine
    while let line = lines.next() {
      defer { number += 1 }
      if number == 1 { continue }
      guard UTF8Check.isValid(unit.block.bytes[line]),
        case .value(let root) = Scanner.scan(line: line, into: unit.tape)
      else { throw PreviousRun.damaged(path, "line \(number) is no JSON") }
      if var state = try reader?.read(root: root, of: unit.tape, line: number) {
        let hash = XXH64.hash(state.key)
        guard load.partitions ~= KeyHash.partition(hash, of: load.ofPartitions),
          !erase(&state)
        else { continue }
        state.append(to: &unit.slices[ShardRoute.shard(of: hash, count: shards)].bytes)
      }
    }
  }

  /// Takes out of a key what was asked to be erased; true when the key as a whole goes. What is
  /// left of its records belongs to the lane, until the next key.
  private func erase(_ state: inout KeyState) -> Bool {
    guard let section = KeySection(of: state.key), section != .anonymous,
      load.erasures.isAbout(state)
    else { return false }
    var isGone = false
    var duplicates = DuplicateTally()
    compactor.begin()
    compactor.add(state.records)
    compactor.finish(clear: state.clear, duplicates: &duplicates) { rows in
      isGone = load.erasures.erase(&state, &rows, section, &tally)
    }
    state.records = compactor.bytes.view
    return isGone
  }
}
