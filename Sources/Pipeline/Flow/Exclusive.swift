import Synchronization

/// An object that one thread at a time may use; a second one traps.
///
/// Unlike ``Locked`` it never waits: a flow calls each of its parts for one unit at a time, and its
/// owner uses the object before or after the flow. Costs two atomic operations, so use per block.
package final class Exclusive<Object>: @unchecked Sendable {
  // @unchecked because only the thread that has set `isUsed` uses `object`. The maker gives it away
  // (`sending`), and only what is Sendable leaves it.
  private var object: Object
  private let isUsed = Atomic(false)

  /// Takes `object` over.
  package init(_ object: sending Object) { self.object = object }

  /// Calls `body` with the object.
  package func use<Result: Sendable, Problem: Error>(
    _ body: (inout sending Object) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    begin()
    defer { end() }
    return try body(&object)
  }

  /// The part of a flow in which the object does `work`, one of its methods.
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

/// A value on its way to its next owner, on whatever thread that is.
///
/// Who hands it over does not touch it any more. It is taken once: a second owner traps.
package final class HandedOver<Value>: @unchecked Sendable {
  // @unchecked because `take` gives the value to one owner, behind all that the one before it did.
  private let value: Value
  private let isTaken = Atomic(false)

  /// Gives `value` away.
  package init(_ value: Value) { self.value = value }

  /// Makes the caller the owner.
  package func take() -> Value {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      fatalError("\(Value.self) was handed to two owners")
    }
    return value
  }
}

/// A value that does not change any more, for any number of threads.
///
/// For values that have all they refer to to themselves: who made one has given it up.
package final class Frozen<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked because `value` is a constant: nothing that would change it can be called.
  package let value: Value

  package init(_ value: consuming sending Value) { self.value = value }
}
