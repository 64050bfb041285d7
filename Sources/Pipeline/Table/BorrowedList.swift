/// A list of objects that others keep alive: to work on one of them counts no reference, which
/// would cost as much as the work itself where that is little.
///
/// Invariant: whoever makes the list keeps the objects alive as long as the list is used.
@safe @frozen @usableFromInline
package struct BorrowedList<Object: AnyObject> {
  @usableFromInline let objects: [Unmanaged<Object>]

  /// A list of `objects`, which the caller keeps alive.
  @inlinable
  package init(_ objects: [Object]) {
    unsafe self.objects = objects.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Number of objects.
  @inlinable package var count: Int { unsafe objects.count }

  /// Lets `body` work on the object at `index`.
  @inlinable @inline(__always)
  package func with<Result>(_ index: Int, _ body: (Object) -> Result) -> Result {
    unsafe objects[index]._withUnsafeGuaranteedRef { body($0) }
  }
}
