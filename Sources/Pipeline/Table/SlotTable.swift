/// The slots of a hash table, a power of two of them.
///
/// An index is masked to the number of slots: probing past the last slot continues at the first,
/// and no access needs a check.
///
/// Invariant: `mask + 1` initialised slots at `base`, a power of two. Not for two threads at once,
/// except reading.
@safe @frozen @usableFromInline
package struct SlotTable<Slot: BitwiseCopyable>: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Slot>
  /// Number of slots - 1.
  @usableFromInline let mask: Int

  /// `count` slots, a power of two, all set to `slot`.
  @inlinable
  package init(repeating slot: Slot, count: Int) {
    precondition(count > 0 && count & (count - 1) == 0, "a table has a power of two of slots")
    unsafe base = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    unsafe base.initialize(repeating: slot, count: count)
    mask = count - 1
  }

  @inlinable
  deinit { unsafe base.deallocate() }

  @inlinable var count: Int { mask + 1 }

  /// The slot at `index`, masked to the number of slots.
  @inlinable
  package subscript(index: Int) -> Slot {
    @inline(__always) _read { yield unsafe base[index & mask] }
    @inline(__always) nonmutating _modify { yield unsafe &base[index & mask] }
  }

  /// Sets all slots to `slot`. Complexity: O(``count``).
  @inlinable
  func fill(with slot: Slot) { unsafe base.update(repeating: slot, count: count) }
}
