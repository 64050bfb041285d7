import Dispatch

/// The content of a flow. It need not be Sendable: one part owns it at a time.
package protocol FlowUnit: AnyObject, SendableMetatype {
  /// The share of a unit that one shard works on.
  associatedtype Slice = Never

  /// Its position in the input: 0, 1, 2, … as it was filled.
  var sequence: Int { get set }
  /// One slice per shard, which owns it while it works; nothing else of the unit is used then.
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

/// One step of a pipeline. It works on one unit at a time and owns its scratch memory. Each lane
/// has a chain of its own; stages lock what they share, per unit and not per record.
package protocol Stage<Unit> {
  associatedtype Unit

  /// The stage's name in reports and benchmarks.
  static var name: String { get }

  mutating func process(_ unit: Unit)
}

/// The stages that a unit passes through on one thread, in order, with their times so far.
package final class StageChain<Unit: MeasuredUnit> {
  private var stages: [any Stage<Unit>]

  package private(set) var times: [StageTime]

  package init(_ stages: [any Stage<Unit>]) {
    self.stages = stages
    times = stages.map { StageTime(name: type(of: $0).name) }
  }

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
