import Dispatch
import TestSupport
import Testing

@testable import Pipeline

/// The engine: order at the end, every shard sees every unit, the earliest failure wins.
@Suite struct FlowConcurrencyTests {
  final class Unit: FlowUnit {
    var sequence = 0
    var value = 0
    var lane = -1
    let slices: [Slice]

    init(shards: Int) { slices = (0..<shards).map { _ in Slice() } }

    final class Slice {
      /// The unit that a lane filled it for.
      var sequence = -1
      /// The unit the shard was last done with.
      var done = -1
    }
  }

  final class Journal: Sendable {
    private let entries = Locked<[String]>([])

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    func all(_ prefix: String) -> [String] {
      entries.withLock { $0.filter { $0.hasPrefix(prefix) } }
    }
  }

  private func part<Value>(_ body: @escaping FlowPart<Value, Void>) -> FlowPart<Value, Void> {
    body
  }

  private func run(
    count: Int, lanes: Int = 2, shards: Int = 2, pool size: Int = 5, cores: CoreQueues? = nil,
    journal: Journal = Journal(),
    failFill: Int? = nil, failLane: Set<Int> = [], failShard: Set<Int> = [],
    failFinish: Set<Int> = [],
    fill: @escaping @Sendable (Int) -> Void = { _ in },
    lane: @escaping @Sendable (Unit) -> Void = { _ in },
    finish: @escaping @Sendable () -> Void = {},
    begin: (Flow<Unit>) -> Void = { _ in }
  ) -> Failure? {
    let next = Locked(0)
    do throws(Failure) {
      let cores = if let cores { cores } else { try CoreQueues(lanes) }
      let flow = Flow(
        units: size, of: { Unit(shards: shards) }, cores: cores,
        fill: { unit throws(Failure) in
          let number = next.withLock { next in
            defer { next += 1 }
            return next
          }
          guard number < count else { return false }
          fill(number)
          if number == failFill { throw Sample.failure(number) }
          unit.value = number * 10
          unit.lane = -1
          return true
        },
        lanes: (0..<lanes).map { number in
          part { unit throws(Failure) in
            unit.lane = number
            for slice in unit.slices { slice.sequence = unit.sequence }
            lane(unit)
            if failLane.contains(unit.sequence) { throw Sample.failure(unit.sequence) }
            journal.note("lane \(unit.sequence)")
          }
        },
        shards: (0..<shards).map { number in
          part { slice throws(Failure) in
            precondition(
              slice.sequence > slice.done, "a shard got a unit before its lane was done with it")
            slice.done = slice.sequence
            if failShard.contains(slice.sequence) { throw Sample.failure(slice.sequence) }
            journal.note("shard \(number) \(slice.sequence)")
          }
        },
        finish: { unit throws(Failure) in
          precondition(unit.lane >= 0, "a lane was not done yet")
          precondition(
            unit.slices.allSatisfy { $0.done == unit.sequence }, "a shard was not done yet")
          precondition(unit.value == unit.sequence * 10, "a unit has another one's content")
          journal.note("finish \(unit.sequence)")
          finish()
          if failFinish.contains(unit.sequence) { throw Sample.failure(unit.sequence) }
        })
      begin(flow)
      try flow.run()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [(1, 0, 1), (1, 1, 1), (2, 3, 2), (4, 1, 3), (3, 4, 16)], [200, 0])
  func unitsFinishInOrder(_ parts: (lanes: Int, shards: Int, pool: Int), count: Int) {
    let journal = Journal()
    let failure = run(
      count: count, lanes: parts.lanes, shards: parts.shards, pool: parts.pool, journal: journal)
    #expect(failure == nil)
    #expect(journal.all("finish") == (0..<count).map { "finish \($0)" })
    #expect(Set(journal.all("lane")) == Set((0..<count).map { "lane \($0)" }))
    for shard in 0..<parts.shards {
      #expect(
        Set(journal.all("shard \(shard) ")) == Set((0..<count).map { "shard \(shard) \($0)" }),
        "every shard sees every unit")
    }
  }

  @Test func aSlowUnitKeepsItsPlace() {
    let journal = Journal()
    let overtaken = DispatchSemaphore(value: 0)
    let failure = run(
      count: 4, lanes: 2, shards: 1, pool: 4, journal: journal,
      lane: { unit in
        if unit.sequence == 0 { overtaken.wait() }
        if unit.sequence == 2 { overtaken.signal() }
      })
    #expect(failure == nil)
    #expect(journal.all("finish") == (0..<4).map { "finish \($0)" })
    #expect(journal.all("lane").first == "lane 1")
  }

  /// Without a free unit there is no reading: never more units are in flight than the pool has.
  @Test(arguments: [1, 2, 6]) func memoryIsBoundedByThePool(size: Int) {
    let crowd = Crowd()
    let failure = run(
      count: 200, lanes: 3, shards: 1, pool: size, fill: { _ in crowd.enter() },
      finish: { crowd.leave() })
    #expect(failure == nil && crowd.figures.now == 0 && 1...size ~= crowd.figures.most)
  }

  /// With one core, parts do their work one after the other; the reader fills all free units first.
  @Test func oneCoreDoesOneThingAtATime() throws {
    let journal = Journal()
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let made = Locked<Flow<Unit>?>(nil)
    let failure = run(
      count: 6, lanes: 1, pool: 2, cores: cores, journal: journal,
      fill: { journal.note("fill \($0)") }, begin: { flow in made.withLock { $0 = flow } })
    #expect(failure == nil)
    #expect(Array(journal.all("").prefix(3)) == ["fill 0", "fill 1", "lane 0"])
    for part in ["lane", "shard 0", "shard 1", "finish"] {
      #expect(journal.all(part) == (0..<6).map { "\(part) \($0)" }, "in the order of the units")
    }
    let times = try #require(made.withLock { $0 }).times
    #expect(times.reader.units == 6 && times.end.units == 6)
    #expect(times.readerWithoutUnit > 0 && times.reader.stalled == times.readerWithoutUnit)
    #expect(times.laneStalls > 0 && times.shardStalls > 0 && cores.idle > 0)
  }

  /// It holds no core: earlier units finish, and a cancel ends the flow although it still waits.
  @Test func aWaitingReaderHoldsNobodyUp() throws {
    let journal = Journal()
    let bytes = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    let hasLeft = DispatchSemaphore(value: 0)
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let flow = Flow(
      units: 4, of: { Unit(shards: 2) }, cores: cores, readerWaits: true,
      fill: { unit in
        if unit.sequence == 2 {
          cores.whileWaiting { bytes.wait() }
          hasLeft.signal()
        }
        return true
      },
      lanes: [{ _ in }],
      shards: (0..<2).map { _ in { _ in } },
      finish: { unit in
        journal.note("finish \(unit.sequence)")
        if unit.sequence == 1 { finished.signal() }
      })
    DispatchQueue(label: "canceller").async {
      finished.wait()
      flow.cancel(Sample.failure(77))
    }
    #expect(throws: Sample.failure(77)) { try flow.run() }
    #expect(journal.all("finish") == ["finish 0", "finish 1"])
    bytes.signal()
    hasLeft.wait()
    #expect(cores.waited > 0)
  }

  @Test(arguments: [(1, 7), (3, 7), (2, 0)])
  func aFailureToFillComesAfterTheUnitsBeforeIt(lanes: Int, unit: Int) {
    let journal = Journal()
    #expect(run(count: 100, lanes: lanes, journal: journal, failFill: unit) == Sample.failure(unit))
    #expect(journal.all("finish") == (0..<unit).map { "finish \($0)" })
  }

  @Test func aFailureAtTheEndStopsTheRest() {
    let journal = Journal()
    let failure = run(count: 1000, pool: 4, journal: journal, failFinish: [5])
    #expect(failure == Sample.failure(5))
    #expect(journal.all("finish") == (0...5).map { "finish \($0)" })
    #expect(journal.all("lane").count < 1000, "the reader stops")
  }

  /// A failure that is earlier in time but later in the input is superseded.
  @Test func theEarliestFailureInTheInputWins() {
    let journal = Journal()
    // The reader fails at unit 3 while unit 2 is still held in its lane; only then unit 2 goes on,
    // and fails at the end.
    let isHeld = DispatchSemaphore(value: 0)
    let failure = run(
      count: 5, lanes: 1, shards: 0, journal: journal, failFill: 3, failFinish: [2],
      fill: { number in if number == 3 { isHeld.signal() } },
      lane: { unit in if unit.sequence == 2 { isHeld.wait() } })
    #expect(failure == Sample.failure(2))
    #expect(journal.all("finish") == ["finish 0", "finish 1", "finish 2"])
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func ofManyFailuresTheFirstIsReported(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let failing = Set((0..<5).map { _ in Int.random(in: 0..<60, using: &random) })
    let journal = Journal()
    let failure = run(count: 60, lanes: 3, journal: journal, failFill: 50, failFinish: failing)
    let first = min(failing.min() ?? 50, 50)
    #expect(failure == Sample.failure(first), "seed \(seed)")
    #expect(journal.all("finish").count == min(first + 1, 50), "seed \(seed)")
  }

  @Test(arguments: [true, false]) func aFailureOnTheWayKeepsTheUnitFromTheRest(isOfShard: Bool) {
    let journal = Journal()
    let failure = run(
      count: 1000, pool: 4, journal: journal, failLane: isOfShard ? [] : [5, 7],
      failShard: isOfShard ? [5, 7] : [])
    #expect(failure == Sample.failure(5))
    #expect(journal.all("finish") == (0..<5).map { "finish \($0)" })
    #expect(!journal.all("shard").contains { $0.hasSuffix(" 5") })
  }

  @Test func cancelledBeforeItRunsAndTheFirstCancelCounts() {
    let journal = Journal()
    let failure = run(
      count: 100, journal: journal,
      begin: { flow in
        flow.cancel(Sample.failure(77))
        flow.cancel(Sample.failure(78))
      })
    #expect(failure == Sample.failure(77))
    #expect(journal.all("").isEmpty)
  }

  /// From within a lane: the cancel comes before every other failure.
  @Test func cancelledOnTheWay() {
    let journal = Journal()
    let running = Locked<Flow<Unit>?>(nil)
    let failure = run(
      count: 1000, lanes: 1, pool: 3, journal: journal, failFill: 20,
      lane: { unit in
        if unit.sequence == 10 { running.withLock { $0 }?.cancel(Sample.failure(77)) }
      },
      begin: { flow in running.withLock { $0 = flow } })
    running.withLock { $0 = nil }
    #expect(failure == Sample.failure(77))
    let finished = journal.all("finish")
    #expect(finished == (0..<finished.count).map { "finish \($0)" })
    #expect(finished.count <= 10 && journal.all("lane").count == 11)
  }

  private final class Witness: Sendable {
    let isFreed = DispatchSemaphore(value: 0)
    deinit { isFreed.signal() }
  }

  /// Nothing holds a flow that is over, nor what its functions hold. (A queue lets go of its last
  /// piece of work a little later than the flow returns, so the test waits for it.)
  @Test func everythingIsFreedAfterwards() {
    let isFreed: DispatchSemaphore
    do {
      let kept = Witness()
      isFreed = kept.isFreed
      #expect(
        run(count: 20, failFinish: [9], lane: { _ in withExtendedLifetime(kept) {} })
          == Sample.failure(9))
    }
    #expect(isFreed.wait(timeout: .now() + 30) == .success)
  }
}
