/// The fixed number of units under way: the back-pressure of a flow.
///
/// Without a free unit nothing is read. So memory does not depend on the length of the input, and a
/// slow stage slows the reader down. Plain state without a lock: the flow that owns it has one.
package struct UnitPool<Unit> {
  private var free: [Unit]
  /// Number of units.
  package let size: Int

  /// Creates a pool of `size` units made by `make`.
  package init(size: Int, make: () -> Unit) {
    precondition(size > 0, "a pool needs at least one unit")
    self.size = size
    free = (0..<size).map { _ in make() }
  }

  /// Returns the unit that came back last (it is likeliest to be in a cache); nil without a free
  /// one.
  package mutating func take() -> Unit? { free.popLast() }

  /// Returns a unit to the pool.
  package mutating func give(_ unit: Unit) {
    precondition(free.count < size, "a unit was given back that was not taken")
    free.append(unit)
  }
}
