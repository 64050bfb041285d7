import Pipeline

/// Stages that work on units one after the other, each with its time and its allocations. The time
/// is that of the thread, so bytes by time are what one core does, whatever else runs on the
/// machine.
///
/// As ``StageChain``, but of one thread that does nothing else.
final class StageMeter<Unit> {
  private var stages: [any Stage<Unit>]
  private(set) var readings: [StageReading]

  init(_ stages: [any Stage<Unit>]) {
    self.stages = stages
    readings = stages.map { StageReading(subject: BenchSubject(measuring: $0)) }
  }

  /// Takes `unit` through all stages.
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

/// What one stage took so far.
struct StageReading {
  let subject: BenchSubject
  var nanoseconds: UInt64 = 0
  var allocations = 0
}
