import Dispatch

/// What a flow carries from stage to stage.
package protocol FlowUnit: AnyObject, Sendable {
  /// The unit's place in the input: 0, 1, 2, … in the order in which it was filled.
  var sequence: Int { get set }

  /// Gives back what an unusual unit needed beyond a usual one. Called on the flow's last queue,
  /// before the unit goes back to the pool.
  func recycle()
}

extension FlowUnit {
  /// Nothing to give back.
  package func recycle() {}
}

/// The parts of a flow, made by the job that runs it.
package struct FlowPlan<Unit: FlowUnit>: Sendable {
  /// Fills the next unit from the input; false at the end. Called on the reader's queue. It may
  /// throw after earlier units were filled: those are still worked off.
  package var fill: @Sendable (Unit) throws(Failure) -> Bool
  /// One function per lane: takes a unit through the lane's stages.
  package var lanes: [@Sendable (Unit) -> Void]
  /// One function per shard, each called on the shard's own queue for every unit, in any order.
  package var shards: [@Sendable (Unit) -> Void]
  /// Called on one queue for every unit in the order of the input, after lanes and shards are done
  /// with it.
  package var finish: @Sendable (Unit) throws(Failure) -> Void

  package init(
    fill: @escaping @Sendable (Unit) throws(Failure) -> Bool,
    lanes: [@Sendable (Unit) -> Void], shards: [@Sendable (Unit) -> Void],
    finish: @escaping @Sendable (Unit) throws(Failure) -> Void
  ) {
    self.fill = fill
    self.lanes = lanes
    self.shards = shards
    self.finish = finish
  }
}

/// The engine: one reader, some lanes, some shards, one ordered end.
///
/// ```
/// reader ─► lanes (one unit each, in parallel) ─► shards (every unit, each its slice) ─► end, in order
///    ▲                                                                                    │
///    └──────────────────────────── pool of free units ◄───────────────────────────────────┘
/// ```
/// Every arrow is a hand-over of a whole unit, so a unit has one owner at a time (while the shards
/// work, each touches its own slice only). The engine knows nothing of what is in a unit.
package final class Flow<Unit: FlowUnit>: Sendable {
  private struct State {
    var gate = OrderedGate<Unit>()
    var pendingShards: [Int: Int] = [:]
    var failure: (sequence: Int, Failure)?
    var stalled: UInt64 = 0
    var hasBegun = false
    /// Whether the flow no longer waits for the reader.
    var hasReaderLeft = false
  }

  private let plan: FlowPlan<Unit>
  private let pool: UnitPool<Unit>
  private let state = Locked(State())
  private let readerQueue = DispatchQueue(label: "eventmill.reader")
  private let finishQueue = DispatchQueue(label: "eventmill.finish")
  private let shardQueues: [DispatchQueue]
  private let inFlight = DispatchGroup()

  /// A flow of the units of `pool` through `plan`.
  package init(_ plan: FlowPlan<Unit>, pool: UnitPool<Unit>) {
    self.plan = plan
    self.pool = pool
    shardQueues = plan.shards.indices.map { DispatchQueue(label: "eventmill.shard.\($0)") }
  }

  /// Runs the flow to its end and waits for it.
  ///
  /// - Throws: the failure that is the earliest in the order of the input. Units before it were
  ///   worked off completely; units after it may or may not have been.
  package func run() throws(Failure) {
    let lanes = WorkQueue<Unit>(name: "lane", lanes: plan.lanes.count) { lane, unit in
      if !self.hasFailed(before: unit.sequence) { self.plan.lanes[lane](unit) }
      self.passToShards(unit)
    }
    if begin() {
      readerQueue.async {
        self.read(into: lanes)
        self.leaveReader()
      }
      inFlight.wait()
    }
    if let (_, failure) = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the flow as soon as every unit under way has passed, with `failure` as its outcome. May be
  /// called from any thread.
  ///
  /// The flow does not wait for a reader that waits for its input (a pipe on which nothing comes): the
  /// reader's unit is left to it, and what it reads later is dropped.
  package func cancel(_ failure: Failure) {
    record(failure, at: -1)
    leaveReader()
  }

  private func leaveReader() {
    state.withLock { state in
      if state.hasBegun, !state.hasReaderLeft { inFlight.leave() }
      state.hasReaderLeft = true
    }
  }

  /// Counts the reader as under way; false when the flow was cancelled before it began.
  private func begin() -> Bool {
    state.withLock { state in
      state.hasBegun = true
      if state.hasReaderLeft { return false }
      inFlight.enter()
      return true
    }
  }

  /// Nanoseconds the reader waited for a free unit: how much the stages held it back.
  package var stalled: UInt64 { state.withLock { $0.stalled } }

  private var hasFailed: Bool { state.withLock { $0.failure != nil } }

  private func record(_ failure: Failure, at sequence: Int) {
    state.withLock { state in
      if let known = state.failure, known.sequence <= sequence { return }
      state.failure = (sequence, failure)
    }
  }

  private func read(into lanes: WorkQueue<Unit>) {
    var sequence = 0
    while !hasFailed {
      let start = DispatchTime.now().uptimeNanoseconds
      let unit = pool.take()
      let waited = DispatchTime.now().uptimeNanoseconds - start
      state.withLock { $0.stalled += waited }
      unit.sequence = sequence
      do throws(Failure) {
        guard try plan.fill(unit) else {
          pool.give(unit)
          return
        }
      } catch {
        pool.give(unit)
        record(error, at: sequence)
        return
      }
      sequence += 1
      guard enter() else {
        pool.give(unit)
        return
      }
      lanes.submit(unit)
    }
  }

  /// Counts a filled unit as under way; false when the flow has been cancelled meanwhile.
  private func enter() -> Bool {
    state.withLock { state in
      if state.hasReaderLeft { return false }
      inFlight.enter()
      return true
    }
  }

  private func passToShards(_ unit: Unit) {
    guard !plan.shards.isEmpty else {
      finish(unit)
      return
    }
    let sequence = unit.sequence
    let count = plan.shards.count
    state.withLock { $0.pendingShards[sequence] = count }
    for shard in plan.shards.indices {
      shardQueues[shard].async {
        if !self.hasFailed(before: sequence) { self.plan.shards[shard](unit) }
        let isLast = self.state.withLock { state in
          let left = (state.pendingShards[sequence] ?? 1) - 1
          state.pendingShards[sequence] = left == 0 ? nil : left
          return left == 0
        }
        if isLast { self.finish(unit) }
      }
    }
  }

  private func finish(_ unit: Unit) {
    finishQueue.async {
      let ready = self.state.withLock { $0.gate.arrive(unit, sequence: unit.sequence) }
      for unit in ready {
        if !self.hasFailed(before: unit.sequence) {
          do throws(Failure) {
            try self.plan.finish(unit)
          } catch {
            self.record(error, at: unit.sequence)
          }
        }
        unit.recycle()
        self.pool.give(unit)
        self.inFlight.leave()
      }
    }
  }

  /// Whether the unit with this number need not be worked on any more. Once true it stays true, so
  /// a unit that one step skipped is skipped by all later ones.
  private func hasFailed(before sequence: Int) -> Bool {
    state.withLock { state in state.failure.map { $0.sequence < sequence } ?? false }
  }
}
