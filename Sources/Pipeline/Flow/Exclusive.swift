import Synchronization

/// An object that one thread at a time may use; concurrent use traps.
///
/// Unlike ``Locked`` it never waits: the parts of a flow, or its owner before and after it, take
/// turns. Two atomic operations, so use it per block.
package final class Exclusive<Object>: @unchecked Sendable {
  // @unchecked because only the thread that has set `isUsed` uses `object`. The creator gives it
  // away (`sending`), and only Sendable values leave it.
  private var object: Object
  private let isUsed = Atomic(false)

  package init(_ object: sending Object) { self.object = object }

  package func use<Result: Sendable, Problem: Error>(
    _ body: (inout sending Object) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    begin()
    defer { end() }
    return try body(&object)
  }

  /// A part of a flow that calls `work`, a method of the object.
  package func part<Unit, Result: Sendable>(
    _ work: @escaping @Sendable (Object) -> (Unit) throws(Failure) -> Result
  ) -> FlowPart<Unit, Result> {
    { [self] unit throws(Failure) in
      begin()
      defer { end() }
      return try work(object)(unit)
    }
  }

  private func begin() {
    guard !isUsed.exchange(true, ordering: .acquiring) else {
      // A failed precondition prints no message in a release build.
      fatalError("\(Object.self) is used by two threads at once")
    }
  }

  private func end() { isUsed.store(false, ordering: .releasing) }
}

/// A value that passes to its next owner, on any thread; the previous one no longer uses it.
package final class HandedOver<Value>: @unchecked Sendable {
  // @unchecked because `take` gives the value to one owner, after everything the previous one did.
  private let value: Value
  private let isTaken = Atomic(false)

  package init(_ value: Value) { self.value = value }

  /// Makes the caller the owner; traps the second time.
  package func take() -> Value {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      fatalError("\(Value.self) was handed to two owners")
    }
    return value
  }
}

/// A value that no longer changes, shared by any number of threads. There is no other reference.
package final class Frozen<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked because `value` is a constant: no mutating method can be called on it.
  package let value: Value
  package init(_ value: consuming sending Value) { self.value = value }
}
