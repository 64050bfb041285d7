import Synchronization

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
