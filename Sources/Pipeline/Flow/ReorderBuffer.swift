/// Brings units that arrive in any order back into the order of their numbers.
///
/// A pure state machine without locks or threads: `arrive` takes a unit in and returns those whose
/// turn has come. Holds at most as many units as travel at a time.
package struct ReorderBuffer<Unit> {
  private var waiting: [Int: Unit] = [:]
  private var next = 0

  package init() {}

  /// Number of units that wait for an earlier one.
  package var count: Int { waiting.count }

  /// Takes the unit number `sequence` in, and returns the units whose turn it is now, in order.
  package mutating func arrive(_ unit: Unit, sequence: Int) -> [Unit] {
    precondition(sequence >= next, "a unit with this number has passed already")
    waiting[sequence] = unit
    var ready: [Unit] = []
    while let unit = waiting.removeValue(forKey: next) {
      ready.append(unit)
      next += 1
    }
    return ready
  }
}
