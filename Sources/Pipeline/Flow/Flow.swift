import Dispatch

/// What a flow carries from stage to stage. It need not be Sendable: one part owns it at a time.
package protocol FlowUnit: AnyObject, SendableMetatype {
  /// The share of a unit that one shard works on.
  associatedtype Slice = Never

  /// The unit's position in the input: 0, 1, 2, … in the order in which it was filled.
  var sequence: Int { get set }
  /// One slice per shard. While the shards work, each owns its slice; nothing else of the unit is
  /// used.
  var slices: [Slice] { get }

  /// Releases memory that only an unusual unit needs, before the unit returns to the pool.
  func recycle()
}

extension FlowUnit {
  package func recycle() {}
}

extension FlowUnit where Slice == Never {
  package var slices: [Never] { [] }
}

/// A function that a flow calls for one unit at a time. Its state is ``Exclusive`` to it.
package typealias FlowPart<Unit, Result> = @Sendable (Unit) throws(Failure) -> Result

/// Working and waiting times of the parts of a flow.
package struct FlowPartTimes: Sendable {
  /// The reader. It waits for free units and for input bytes.
  package var reader = StageTime(name: "decompress")
  /// The share of that in which the reader waited for a free unit, so the stages were the
  /// bottleneck.
  package var readerWithoutUnit: UInt64 = 0
  /// Nanoseconds in which lanes had no unit, summed over the lanes; then the same for the shards.
  package let laneStalls: UInt64
  package let shardStalls: UInt64
  /// The ordered end. It waits for units most of the time.
  package var end = StageTime(name: "finish")
}

/// The engine: one reader, several lanes, several shards, one ordered end.
///
/// ```
/// reader ─► lanes (a unit each, in parallel) ─► shards (each its slice of every unit) ─► end
///    ▲                                                                                    │
///    └──────────────────────────── pool of free units ◄───────────────────────────────────┘
/// ```
/// Every arrow hands over a whole unit, so a unit has one owner at a time (while the shards work,
/// each owns its slice only). A part works on one unit at a time, and all parts share the cores of
/// one budget. When a part fails for a unit, later parts do not get that unit. The engine knows
/// nothing about the contents of a unit.
package final class Flow<Unit: FlowUnit>: Sendable {
  private struct State {
    var pool: UnitPool<Unit>
    var gate = ReorderBuffer<HandedOver<Unit>>()
    var pendingShards: [Int: Int] = [:]
    var failure: (sequence: Int, Failure)?
    var filled = 0
    /// How long the reader waited for a free unit.
    var stalled = WaitingTime()
    var isStalled = false
    /// Nanoseconds of the reader's work, including waiting for bytes.
    var reading: UInt64 = 0
    var waitedForBytes: UInt64 = 0
    /// The work of the ordered end.
    var finishing: UInt64 = 0
    var finished = 0
    var hasBegun = false
    /// Whether the flow no longer waits for the reader.
    var hasReaderLeft = false
  }

  private let filling: FlowPart<Unit, Bool>
  private let laneParts: [FlowPart<Unit, Void>]
  private let shardParts: [FlowPart<Unit.Slice, Void>]
  private let finishing: FlowPart<Unit, Void>
  private let cores: CoreBudget
  private let state: Locked<State>
  private let lanes: WorkQueue
  private let shards: [WorkQueue]
  private let end: WorkQueue
  private let inFlight = DispatchGroup()

  /// A flow of the units of `pool` on `cores`; without these, on as many as there are lanes.
  /// - Parameters:
  ///   - fill: Fills the next unit from the input; false at the end. It may throw after earlier
  ///     units were filled: those are still processed.
  ///   - lanes: Each takes a unit through its stages.
  ///   - shards: Each is called for its slice of every unit, in any order.
  ///   - finish: Called for every unit in input order, when all other parts are done with it.
  /// - Throws: `limit`, when threads cannot be created.
  package init(
    fill: @escaping FlowPart<Unit, Bool>, lanes: [FlowPart<Unit, Void>],
    shards: [FlowPart<Unit.Slice, Void>] = [], finish: @escaping FlowPart<Unit, Void>,
    pool: sending UnitPool<Unit>, cores: CoreBudget? = nil
  ) throws(Failure) {
    let cores = if let cores { cores } else { try CoreBudget(cores: lanes.count) }
    (filling, laneParts, shardParts, finishing) = (fill, lanes, shards, finish)
    self.cores = cores
    state = Locked(State(pool: pool))
    self.lanes = WorkQueue(lanes: lanes.count, cores: cores, priority: .lane)
    // One lane each, so a shard is the only owner of its tables.
    self.shards = shards.map { _ in WorkQueue(lanes: 1, cores: cores, priority: .shard) }
    end = WorkQueue(lanes: 1, cores: cores, priority: .finish)
  }

  /// Runs the flow and waits for its end.
  /// - Throws: the failure that is earliest in input order. Units before it were processed
  ///   completely; units after it may or may not have been.
  package func run() throws(Failure) {
    if begin() {
      read()
      inFlight.wait()
    }
    if let (_, failure) = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the flow with `failure` as soon as every unit under way has passed. Any thread.
  ///
  /// The flow does not wait for a reader that is blocked on its input (a silent pipe): the reader
  /// keeps its unit, and what it reads later is dropped.
  package func cancel(_ failure: Failure) {
    record(failure, at: -1)
    leaveReader()
  }

  /// Working and waiting times so far.
  package var times: FlowPartTimes {
    let laneStalls = lanes.waited
    let shardStalls = shards.reduce(0) { $0 + $1.waited }
    let endStalls = end.waited
    return state.withLock { state in
      var times = FlowPartTimes(laneStalls: laneStalls, shardStalls: shardStalls)
      times.reader.nanoseconds = state.reading
      times.reader.units = state.filled
      times.readerWithoutUnit = state.stalled.total(now: Self.now)
      times.reader.stalled = times.readerWithoutUnit + state.waitedForBytes
      times.end.nanoseconds = state.finishing
      times.end.units = state.finished
      times.end.stalled = endStalls
      return times
    }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  // MARK: Reader

  /// Marks the reader as running; false when the flow was cancelled before it began.
  private func begin() -> Bool {
    state.withLock { state in
      state.hasBegun = true
      if state.hasReaderLeft { return false }
      inFlight.enter()
      return true
    }
  }

  private func leaveReader() {
    state.withLock { state in
      if state.hasBegun, !state.hasReaderLeft { inFlight.leave() }
      state.hasReaderLeft = true
    }
  }

  /// Lets the reader fill units until no unit is free or the input ends.
  private func read() {
    cores.run(.reader) {
      guard let unit = self.takeUnit() else { return false }
      guard self.fill(unit.take()) else {
        self.leaveReader()
        return false
      }
      return true
    }
  }

  /// Returns a free unit; without one the reader pauses until ``giveBack(_:)`` calls it.
  private func takeUnit() -> HandedOver<Unit>? {
    state.withLock { state in
      if let unit = state.pool.take() { return HandedOver(unit) }
      state.isStalled = true
      state.stalled.change(to: 1, now: Self.now)
      return nil
    }
  }

  private func giveBack(_ unit: Unit) {
    let unit = HandedOver(unit)
    let wasStalled = state.withLock { state in
      state.pool.give(unit.take())
      defer { state.isStalled = false }
      if state.isStalled { state.stalled.change(to: 0, now: Self.now) }
      return state.isStalled
    }
    if wasStalled { read() }
  }

  /// Fills `unit` and hands it to the lanes; false at the end of the input.
  private func fill(_ unit: Unit) -> Bool {
    // After a failure no more units are needed.
    let next = state.withLock { $0.failure == nil ? $0.filled : nil }
    guard let sequence = next else { return false }
    unit.sequence = sequence
    do throws(Failure) {
      guard try timed({ () throws(Failure) in try filling(unit) }) else { return false }
    } catch {
      record(error, at: sequence)
      return false
    }
    guard enter() else { return false }
    let filled = HandedOver(unit)
    lanes.submit { lane in
      let unit = filled.take()
      self.call(self.laneParts[lane], unit, of: sequence)
      self.passToShards(unit)
    }
    return true
  }

  /// Fills a unit and records the time it took, and how much of it was waiting for bytes.
  private func timed(_ fill: () throws(Failure) -> Bool) throws(Failure) -> Bool {
    let start = Self.now
    let waitedBefore = cores.waited
    defer {
      let taken = Self.now - start
      let waited = min(taken, cores.waited - waitedBefore)
      state.withLock { state in
        state.reading += taken - waited
        state.waitedForBytes += waited
      }
    }
    return try fill()
  }

  /// Counts a filled unit as under way; false when the flow was cancelled meanwhile.
  private func enter() -> Bool {
    state.withLock { state in
      if state.hasReaderLeft { return false }
      state.filled += 1
      inFlight.enter()
      return true
    }
  }

  // MARK: Shards and end

  private func passToShards(_ unit: Unit) {
    guard !shards.isEmpty else { return finish(unit) }
    let sequence = unit.sequence
    state.withLock { $0.pendingShards[sequence] = shards.count }
    let whole = HandedOver(unit)
    for (shard, slice) in unit.slices.enumerated() {
      let slice = HandedOver(slice)
      shards[shard].submit { _ in
        self.call(self.shardParts[shard], slice.take(), of: sequence)
        if self.isLastShard(of: sequence) { self.finish(whole.take()) }
      }
    }
  }

  private func isLastShard(of sequence: Int) -> Bool {
    state.withLock { state in
      let left = (state.pendingShards[sequence] ?? 1) - 1
      state.pendingShards[sequence] = left == 0 ? nil : left
      return left == 0
    }
  }

  private func finish(_ unit: Unit) {
    let sequence = unit.sequence
    let arrived = HandedOver(unit)
    end.submit { _ in
      let ready = self.state.withLock { $0.gate.arrive(arrived, sequence: sequence) }
      for arrived in ready {
        let unit = arrived.take()
        let start = Self.now
        self.call(self.finishing, unit, of: unit.sequence)
        unit.recycle()
        self.state.withLock { state in
          state.finishing += Self.now - start
          state.finished += 1
        }
        self.giveBack(unit)
        self.inFlight.leave()
      }
    }
  }

  // MARK: Failures

  private func record(_ failure: Failure, at sequence: Int) {
    state.withLock { state in
      if let known = state.failure, known.sequence <= sequence { return }
      state.failure = (sequence, failure)
    }
  }

  /// Calls a part for a unit or its slice, unless that unit or an earlier one failed. A unit that
  /// one part skipped is skipped by all later ones.
  private func call<Value>(_ part: FlowPart<Value, Void>, _ value: Value, of sequence: Int) {
    if state.withLock({ $0.failure.map { $0.sequence <= sequence } ?? false }) { return }
    do throws(Failure) { try part(value) } catch { record(error, at: sequence) }
  }
}
