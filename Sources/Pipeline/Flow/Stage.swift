import Dispatch

/// One step of a pipeline: all that the engine knows of it.
///
/// A stage works on one unit at a time and owns whatever scratch memory it needs. The engine makes
/// one chain of stages per lane, so a stage is never used by two threads at once; what stages share
/// they lock themselves, per unit and not per record.
package protocol Stage<Unit> {
  associatedtype Unit

  /// The stage's name in reports and benchmarks.
  static var name: String { get }

  /// Does the stage's part of the work on `unit`.
  mutating func process(_ unit: Unit)
}

/// The stages a unit goes through on one thread, in order, with their times.
///
/// Used by one thread at a time.
package final class StageChain<Unit: MeasuredUnit> {
  private var stages: [any Stage<Unit>]
  /// The time of each stage so far.
  package private(set) var times: [StageTime]

  /// A chain of `stages`, first to last.
  package init(_ stages: [any Stage<Unit>]) {
    self.stages = stages
    times = stages.map { StageTime(name: type(of: $0).name) }
  }

  /// Takes `unit` through all stages.
  package func process(_ unit: Unit) {
    var start = DispatchTime.now().uptimeNanoseconds
    for index in stages.indices {
      stages[index].process(unit)
      let end = DispatchTime.now().uptimeNanoseconds
      times[index].nanoseconds += end - start
      start = end
    }
    // Only now: what a unit holds is found by its first stage.
    for index in times.indices { times[index].count(unit) }
  }
}
