import Dispatch

/// The engine: one reader, several lanes, several shards, one ordered end.
///
/// ```
/// reader ─► lanes (a unit each, in parallel) ─► shards (each its slice of every unit) ─► end
///    ▲                                                                                    │
///    └────────────────────────────── free units ◄─────────────────────────────────────────┘
/// ```
/// All are serial queues, which share the cores of one job (``CoreQueues``). Every arrow hands over
/// a whole unit, so a unit has one owner (while the shards work, each owns its slice only). The
/// number of units is fixed: without a free one nothing is read, so a slow stage slows the reader,
/// and memory does not depend on the length of the input. When a part fails for a unit, later parts
/// do not get it.
package final class Flow<Unit: FlowUnit>: Sendable {
  private struct State {
    /// The unit that came back last is used first: it is likeliest to be in a cache.
    var free: [Unit]
    /// Units that came to the end before an earlier one, by number; ``due`` comes next.
    var early: [Int: HandedOver<Unit>] = [:]
    var due = 0
    var pendingShards: [Int: Int] = [:]
    var failure: (sequence: Int, Failure)?
    /// Whether the reader has stopped for lack of a free unit, and for how long it did.
    var isStalled = false
    var stalled = WaitingTime()
    /// Times and units of the reader (as stalled: while it waited for bytes) and of the end.
    var times = FlowPartTimes()
    var hasBegun = false
    /// Whether the flow no longer waits for the reader.
    var hasReaderLeft = false
  }

  private let filling: FlowPart<Unit, Bool>
  private let laneParts: [FlowPart<Unit, Void>]
  private let shardParts: [FlowPart<Unit.Slice, Void>]
  private let finishing: FlowPart<Unit, Void>
  private let cores: CoreQueues
  private let readerWaits: Bool
  private let reader: SerialQueue
  private let lanes: WorkQueue
  private let shards: [SerialQueue]
  private let end: SerialQueue
  private let state: Locked<State>
  private let inFlight = DispatchGroup()

  /// A flow of `units` units that `makeUnit` makes, on `cores`.
  /// - Parameters:
  ///   - readerWaits: Whether the reader has no core while it waits for bytes.
  ///   - fill: Fills the next unit; false at the end. Units before one that throws are processed.
  ///   - lanes: Each takes a unit through its stages.
  ///   - shards: Each is called for its slice of every unit, in any order.
  ///   - finish: Called for every unit in input order, when all other parts are done with it.
  package init(
    units: Int, of makeUnit: () -> sending Unit, cores: CoreQueues, readerWaits: Bool = false,
    fill: @escaping FlowPart<Unit, Bool>, lanes: [FlowPart<Unit, Void>],
    shards: [FlowPart<Unit.Slice, Void>] = [], finish: @escaping FlowPart<Unit, Void>
  ) {
    precondition(units > 0, "a flow needs at least one unit")
    (filling, laneParts, shardParts, finishing) = (fill, lanes, shards, finish)
    (self.cores, self.readerWaits) = (cores, readerWaits)
    reader = readerWaits ? cores.waitingQueue("reader") : cores.queue("reader", core: 0)
    self.lanes = WorkQueue("lane", lanes: lanes.count, cores: cores)
    self.shards = shards.indices.map { cores.queue("shard \($0)", core: $0) }
    // The last core, because the first one has the reader.
    end = cores.queue("end", core: cores.count - 1)
    state = Locked(State(free: []))
    for _ in 0..<units {
      let unit = HandedOver(makeUnit())
      state.withLock { $0.free.append(unit.take()) }
    }
  }

  /// Runs the flow.
  /// - Throws: the earliest failure in input order; all units before it were processed.
  package func run() throws(Failure) {
    let isCancelled = state.withLock { state in
      state.hasBegun = true
      if !state.hasReaderLeft { inFlight.enter() }
      return state.hasReaderLeft
    }
    if !isCancelled {
      read()
      inFlight.wait()
    }
    if let (_, failure) = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the flow with `failure` as soon as every unit under way has passed. Any thread. A reader
  /// that is blocked on its input keeps its unit, and what it reads later is dropped.
  package func cancel(_ failure: Failure) {
    record(failure, at: -1)
    leaveReader()
  }

  package var times: FlowPartTimes {
    var (times, withoutUnit) = state.withLock { ($0.times, $0.stalled.total(now: CoreQueues.now)) }
    times.readerWithoutUnit = withoutUnit
    times.reader.stalled += withoutUnit
    times.laneStalls = lanes.waited
    times.shardStalls = shards.reduce(0) { $0 + $1.waited }
    times.end.stalled = end.waited
    return times
  }

  // MARK: Reader

  /// Lets the reader fill units until no unit is free or the input ends.
  private func read() {
    reader.submit {
      while let unit = self.takeUnit() { guard self.fill(unit) else { return self.leaveReader() } }
    }
  }

  private func leaveReader() {
    state.withLock { state in
      if state.hasBegun, !state.hasReaderLeft { inFlight.leave() }
      state.hasReaderLeft = true
    }
  }

  /// Returns a free unit; without one the reader pauses until ``giveBack(_:)`` calls it.
  private func takeUnit() -> Unit? {
    state.withLock { state -> HandedOver<Unit>? in
      if let unit = state.free.popLast() { return HandedOver(unit) }
      state.isStalled = true
      state.stalled.change(to: 1, now: CoreQueues.now)
      return nil
    }?.take()
  }

  private func giveBack(_ unit: Unit) {
    unit.recycle()
    let unit = HandedOver(unit)
    let wasStalled = state.withLock { state in
      state.free.append(unit.take())
      defer { state.isStalled = false }
      state.stalled.change(to: 0, now: CoreQueues.now)
      return state.isStalled
    }
    if wasStalled { read() }
    inFlight.leave()
  }

  /// Fills `unit` and hands it to the lanes; false at the end of the input.
  private func fill(_ unit: Unit) -> Bool {
    // After a failure no more units are needed.
    guard let sequence = state.withLock({ $0.failure == nil ? $0.times.reader.units : nil })
    else { return false }
    unit.sequence = sequence
    do throws(Failure) {
      guard try timed({ () throws(Failure) in try filling(unit) }) else { return false }
    } catch {
      record(error, at: sequence)
      return false
    }
    let isCancelled = state.withLock { state in
      if state.hasReaderLeft { return true }
      state.times.reader.units += 1
      inFlight.enter()
      return false
    }
    if isCancelled { return false }
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
    let start = CoreQueues.now
    let waitedBefore = cores.waited
    defer {
      let taken = CoreQueues.now - start
      let waited = min(taken, cores.waited - waitedBefore)
      state.withLock { state in
        state.times.reader.nanoseconds += taken - waited
        state.times.reader.stalled += waited
      }
    }
    return try fill()
  }

  // MARK: Shards and end

  private func passToShards(_ unit: Unit) {
    guard !shards.isEmpty else { return finish(unit) }
    let sequence = unit.sequence
    state.withLock { $0.pendingShards[sequence] = shards.count }
    let whole = HandedOver(unit)
    for (shard, slice) in unit.slices.enumerated() {
      let slice = HandedOver(slice)
      shards[shard].submit {
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
    end.submit {
      self.state.withLock { state in
        precondition(sequence >= state.due, "a unit with this number has passed already")
        state.early[sequence] = arrived
      }
      while let unit = self.takeDue() {
        let start = CoreQueues.now
        self.call(self.finishing, unit, of: unit.sequence)
        self.state.withLock { state in
          state.times.end.nanoseconds += CoreQueues.now - start
          state.times.end.units += 1
        }
        self.giveBack(unit)
      }
    }
  }

  private func takeDue() -> Unit? {
    state.withLock { state -> HandedOver<Unit>? in
      guard let unit = state.early.removeValue(forKey: state.due) else { return nil }
      state.due += 1
      return unit
    }?.take()
  }

  // MARK: Failures

  private func record(_ failure: Failure, at sequence: Int) {
    state.withLock { state in
      if let known = state.failure, known.sequence <= sequence { return }
      state.failure = (sequence, failure)
    }
    // It may wait for bytes for a long time; the unit it fills comes after the failed one.
    if readerWaits { leaveReader() }
  }

  /// Calls a part for a unit or its slice, unless that unit or an earlier one failed.
  private func call<Value>(_ part: FlowPart<Value, Void>, _ value: Value, of sequence: Int) {
    if state.withLock({ $0.failure.map { $0.sequence <= sequence } ?? false }) { return }
    do throws(Failure) { try part(value) } catch { record(error, at: sequence) }
  }
}
