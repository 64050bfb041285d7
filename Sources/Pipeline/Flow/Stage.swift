import Dispatch

/// One step of a pipeline, as the engine sees it.
///
/// A stage works on one unit at a time and owns its scratch memory. The engine creates one chain of
/// stages per lane, so a stage is never used by two threads at once; stages lock what they share,
/// per unit and not per record.
package protocol Stage<Unit> {
  associatedtype Unit

  /// The stage's name in reports and benchmarks.
  static var name: String { get }

  /// Processes `unit`.
  mutating func process(_ unit: Unit)
}

/// The stages that a unit passes through on one thread, in order, with their times.
///
/// Used by one thread at a time.
package final class StageChain<Unit: MeasuredUnit> {
  private var stages: [any Stage<Unit>]
  /// The time of each stage so far.
  package private(set) var times: [StageTime]

  /// Creates a chain of `stages`, first to last.
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
    // Only now: the first stage determines how many items the unit holds.
    for index in times.indices { times[index].count(unit) }
  }
}
