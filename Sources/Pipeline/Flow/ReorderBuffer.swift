/// Restores the input order of units that arrive in any order.
///
/// A pure state machine without locks or threads. Holds at most as many units as are under way.
package struct ReorderBuffer<Unit> {
  private var waiting: [Int: Unit] = [:]
  private var next = 0

  /// Number of units that wait for an earlier one.
  package var count: Int { waiting.count }

  /// Accepts unit number `sequence`, and returns the units that are now due, in order.
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
