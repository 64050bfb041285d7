import Pipeline

/// A ``StageChain`` of one thread, whose stages have processor time and allocations each.
final class StageMeter<Unit> {
  private var stages: [any Stage<Unit>]
  private(set) var readings: [StageReading]

  init(_ stages: [any Stage<Unit>]) {
    self.stages = stages
    readings = stages.map { StageReading(subject: BenchSubject(measuring: $0)) }
  }

  func process(_ unit: Unit) {
    for index in stages.indices {
      let calls = AllocationCounter.callsOfThread
      let start = System.threadNanoseconds
      stages[index].process(unit)
      readings[index].nanoseconds += System.threadNanoseconds - start
      readings[index].allocations += AllocationCounter.callsOfThread - calls
    }
  }
}

struct StageReading {
  let subject: BenchSubject?
  var nanoseconds: UInt64 = 0
  var allocations = 0
}
