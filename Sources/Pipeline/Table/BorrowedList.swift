/// A list of objects that are kept alive elsewhere. Access does not count references, which would
/// cost as much as a small operation itself.
///
/// Invariant: the creator keeps the objects alive as long as the list is used.
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

  /// Calls `body` with the object at `index`.
  @inlinable @inline(__always)
  package func with<Result>(_ index: Int, _ body: (Object) -> Result) -> Result {
    unsafe objects[index]._withUnsafeGuaranteedRef { body($0) }
  }
}
