package import Pipeline

/// Finds equal keys of one object, so that the later one wins (data-model 2, 6).
///
/// Small objects are compared one by one; large ones through a table, so that the time is linear in
/// the size of the object for any keys: their hashes are keyed (``TableHash``). Reused from object
/// to object: no allocation after warm-up. One thread at a time.
package final class KeyFold {
  /// Number of different keys from which on a table is used.
  private static let tableFrom = 24

  /// The different keys while they are few, each with its latest item.
  private var fewTags = [24 of UInt64](repeating: 0)
  private var fewItems = [24 of Int32](repeating: 0)
  /// One bit for each tag added, by its lowest six bits: shows that most keys are new.
  private var filter: UInt64 = 0
  /// Number of different keys while they are few.
  private var count = 0
  /// All different keys when they are many.
  private var tags: [UInt64] = []
  private var items: [Int32] = []
  /// Slots in `tags`, -1 = empty; at most half of them are taken.
  private var table: [Int32] = []
  /// Number of slots minus one, a power of two minus one; 0 = no table yet.
  private var tableMask = 0

  package init() {}

  /// Begins a new object.
  package func begin() {
    filter = 0
    count = 0
    guard tableMask > 0 else { return }
    tableMask = 0
    tags.recycle()
    items.recycle()
    table.recycle()
  }

  /// Adds the key of `item` (a tape or list index of the caller's) with the hash `tag`. Returns the
  /// latest earlier item with the same key, as decided by `isSame`, or nil. Complexity: O(1) on
  /// average.
  package func add(_ tag: UInt64, item: Int, isSame: (Int) -> Bool) -> Int? {
    guard tableMask == 0 else { return addToTable(tag, item: item, isSame: isSame) }
    let bit = 1 &<< (tag & 63)
    if filter & bit != 0 {
      for index in 0..<count where fewTags[index] == tag && isSame(Int(fewItems[index])) {
        let earlier = Int(fewItems[index])
        fewItems[index] = Int32(item)
        return earlier
      }
    }
    filter |= bit
    if count == KeyFold.tableFrom {
      for index in 0..<count {
        tags.append(fewTags[index])
        items.append(fewItems[index])
      }
      return addToTable(tag, item: item, isSame: isSame)
    }
    fewTags[count] = tag
    fewItems[count] = Int32(item)
    count += 1
    return nil
  }

  private func addToTable(_ tag: UInt64, item: Int, isSame: (Int) -> Bool) -> Int? {
    if (tags.count + 1) * 2 > tableMask { rebuild() }
    var slot = home(tag)
    while table[slot] >= 0 {
      let index = Int(table[slot])
      if tags[index] == tag && isSame(Int(items[index])) {
        let earlier = Int(items[index])
        items[index] = Int32(item)
        return earlier
      }
      slot = (slot + 1) & tableMask
    }
    table[slot] = Int32(tags.count)
    tags.append(tag)
    items.append(Int32(item))
    return nil
  }

  private func home(_ tag: UInt64) -> Int { Int(truncatingIfNeeded: tag ^ tag >> 29) & tableMask }

  /// Makes a larger table of all keys.
  private func rebuild() {
    let size = max(128, (tableMask + 1) * 4)
    tableMask = size - 1
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(-1, count: size))
    for index in tags.indices {
      var slot = home(tags[index])
      while table[slot] >= 0 { slot = (slot + 1) & tableMask }
      table[slot] = Int32(index)
    }
  }
}

extension KeyFold {
  /// A hash of a key's bytes, for ``add(_:item:isSame:)``. Equal bytes have equal tags.
  package static func tag(_ bytes: ByteView) -> UInt64 { TableHash.of(bytes) }
}
