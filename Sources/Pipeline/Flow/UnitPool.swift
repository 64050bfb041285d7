/// The fixed number of units that travel at a time: the back-pressure of a flow.
///
/// No free unit, no reading. So memory does not depend on the length of the input, and a slow stage
/// holds the reader back. Plain state without a lock: the flow that owns it has one.
package struct UnitPool<Unit> {
  private var free: [Unit]
  /// How many units there are.
  package let size: Int

  /// A pool of `size` units made by `make`.
  package init(size: Int, make: () -> Unit) {
    precondition(size > 0, "a pool needs at least one unit")
    self.size = size
    free = (0..<size).map { _ in make() }
  }

  /// A free unit, the one given back last (likeliest to be in a cache); nil without one.
  package mutating func take() -> Unit? { free.popLast() }

  /// Gives a unit back.
  package mutating func give(_ unit: Unit) {
    precondition(free.count < size, "a unit was given back that was not taken")
    free.append(unit)
  }
}
