import Dispatch

/// The fixed number of units that travel at a time: the back-pressure of a flow.
///
/// No free unit, no reading. So memory does not depend on the length of the input, and a slow stage
/// holds the reader back.
package final class UnitPool<Unit: AnyObject & Sendable>: Sendable {
  private let free: Locked<[Unit]>
  private let available: DispatchSemaphore
  /// How many units there are.
  package let size: Int

  /// A pool of `size` units made by `make`.
  package init(size: Int, make: () -> Unit) {
    precondition(size > 0, "a pool needs at least one unit")
    self.size = size
    free = Locked((0..<size).map { _ in make() })
    available = DispatchSemaphore(value: size)
  }

  deinit {
    // A semaphore must not be destroyed below its first value.
    let missing = size - free.withLock { $0.count }
    for _ in 0..<missing { available.signal() }
  }

  /// Takes a free unit; waits until there is one.
  package func take() -> Unit {
    available.wait()
    return free.withLock { units in
      guard let unit = units.popLast() else {
        preconditionFailure("the pool's semaphore promised a unit that is not there")
      }
      return unit
    }
  }

  /// Gives a unit back.
  package func give(_ unit: Unit) {
    free.withLock { $0.append(unit) }
    available.signal()
  }
}
