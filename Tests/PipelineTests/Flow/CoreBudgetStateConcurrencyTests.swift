import TestSupport
import Testing

@testable import Pipeline

/// Who gets the next free core, without a thread.
@Suite struct CoreBudgetStateConcurrencyTests {
  private typealias State = CoreBudgetState<String>

  @Test func asMuchWorkAsThereAreCores() {
    var state = State(cores: 2)
    #expect(state.request("a", .lane) == "a" && state.request("b", .lane) == "b")
    #expect(state.request("c", .lane) == nil && state.free == 0)
    #expect(state.release() == "c")
    #expect(state.release() == nil && state.release() == nil && state.free == 2)
  }

  @Test func theMostUrgentFirstAndOfTheseTheOldest() {
    var state = State(cores: 1)
    _ = state.request("busy", .lane)
    for priority in WorkPriority.allCases.reversed() {
      for number in 0..<2 {
        #expect(state.request("\(priority) \(number)", priority) == nil)
      }
    }
    var order: [String] = []
    while let work = state.release() { order.append(work) }
    #expect(
      order == [
        "reader 0", "reader 1", "finish 0", "finish 1", "shard 0", "shard 1",
        "behind 0", "behind 1", "lane 0", "lane 1", "ahead 0", "ahead 1",
      ])
    #expect(state.free == 1)
  }

  @Test func whoGoesOnGivesWayToWhatIsAsUrgent() {
    var state = State(cores: 1)
    _ = state.request("a", .shard)
    #expect(state.yield("a", .shard) == "a", "nobody waits")
    _ = state.request("lane", .lane)
    #expect(state.yield("a", .shard) == "a", "less urgent work waits")
    _ = state.request("b", .shard)
    #expect(state.yield("a", .shard) == "b")
    #expect(state.yield("b", .shard) == "a")
    _ = state.request("reader", .reader)
    #expect(state.yield("a", .shard) == "reader")
    #expect(state.waitingCount == 3)
  }

  /// Any order of calls: no core is free while work waits, none is used twice, nothing is lost.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func keepsItsInvariant(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let cores = Int.random(in: 1...4, using: &random)
    var state = CoreBudgetState<Int>(cores: cores)
    var running: Set<Int> = []
    var asked = 0
    var begun = 0
    for _ in 0..<500 {
      let priority = WorkPriority.allCases.randomElement(using: &random) ?? .lane
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        asked += 1
        if let work = state.request(asked, priority) {
          begun += 1
          #expect(running.insert(work).inserted, "seed \(seed)")
        }
      case 1:
        guard let done = running.randomElement(using: &random) else { continue }
        running.remove(done)
        if let work = state.release() {
          begun += 1
          #expect(running.insert(work).inserted, "seed \(seed)")
        }
      default:
        guard let goesOn = running.randomElement(using: &random) else { continue }
        running.remove(goesOn)
        #expect(running.insert(state.yield(goesOn, priority)).inserted, "seed \(seed)")
      }
      #expect(running.count + state.free == cores, "seed \(seed)")
      #expect(state.free == 0 || state.waitingCount == 0, "seed \(seed)")
    }
    for _ in 0..<asked where !running.isEmpty {
      running.removeFirst()
      if let work = state.release() { running.insert(work) }
    }
    #expect(state.free == cores && state.waitingCount == 0 && begun <= asked, "seed \(seed)")
  }

  @Test func aCoreTooManyTraps() async {
    await #expect(processExitsWith: .failure) {
      var state = CoreBudgetState<Int>(cores: 1)
      _ = state.release()
    }
    await #expect(processExitsWith: .failure) { _ = CoreBudgetState<Int>(cores: 0) }
  }
}
