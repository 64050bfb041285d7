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

  /// Releases memory that only an unusual unit needs, before the unit is filled again.
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
