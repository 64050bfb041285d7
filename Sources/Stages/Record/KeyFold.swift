package import Pipeline

/// Finds equal keys of one object, so that the later one wins (data-model 2, 6).
///
/// Small objects are compared one by one; large ones through a table, so that the time is linear in
/// the size of the object for any keys: their hashes are keyed (``TableHash``). Reused from object
/// to object: no allocation after warm-up. One thread at a time.
package final class KeyFold {
  /// A hash of a key. Equal keys have equal tags. Opaque, because arithmetic on a mixed hash would
  /// put keys into adjacent slots.
  package struct Tag: BitwiseCopyable, Equatable {
    fileprivate let hash: UInt64
  }

  /// Number of different keys from which on a table is used.
  private static let tableFrom = 24

  /// The different keys while they are few, each with its latest item.
  private var fewTags = [24 of Tag](repeating: Tag(hash: 0))
  private var fewItems = [24 of Int32](repeating: 0)
  /// One bit for each tag added, by its lowest six bits: shows that most keys are new.
  private var filter: UInt64 = 0
  /// Number of different keys while they are few.
  private var count = 0
  /// All different keys when they are many.
  private var tags: [Tag] = []
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
  package func add(_ tag: Tag, item: Int, isSame: (Int) -> Bool) -> Int? {
    guard tableMask == 0 else { return addToTable(tag, item: item, isSame: isSame) }
    let bit = 1 &<< (tag.hash & 63)
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

  /// The latest item with the key of hash `tag`, as decided by `isSame`, or nil. Complexity: O(1)
  /// on average.
  package func latest(_ tag: Tag, isSame: (Int) -> Bool) -> Int? {
    guard tableMask > 0 else {
      for index in 0..<count where fewTags[index] == tag && isSame(Int(fewItems[index])) {
        return Int(fewItems[index])
      }
      return nil
    }
    var slot = home(tag)
    while table[slot] >= 0 {
      let index = Int(table[slot])
      if tags[index] == tag && isSame(Int(items[index])) { return Int(items[index]) }
      slot = (slot + 1) & tableMask
    }
    return nil
  }

  private func addToTable(_ tag: Tag, item: Int, isSame: (Int) -> Bool) -> Int? {
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

  private func home(_ tag: Tag) -> Int {
    Int(truncatingIfNeeded: tag.hash ^ tag.hash >> 29) & tableMask
  }

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
  /// The tag of a key's bytes.
  package static func tag(
    _ bytes: ByteView, by secret: TableHash.Secret = TableHash.secret
  ) -> Tag {
    Tag(hash: secret.hash(bytes))
  }

  /// The tag of a key of the object numbered `object`, for keys of several objects together.
  package static func tag(
    _ bytes: ByteView, of object: Int32, by secret: TableHash.Secret = TableHash.secret
  ) -> Tag {
    let number = UInt64(UInt32(bitPattern: object))
    return Tag(hash: TableHash.fold(secret.hash(bytes) ^ number, secret.second))
  }

  /// The tag of a key whose ASCII letters are compared regardless of case.
  package static func tag(ignoringCase name: ByteView) -> Tag {
    let secret = TableHash.secret
    var hash = secret.first
    for index in 0..<name.count {
      hash = TableHash.fold(hash ^ UInt64(Characters.lowercased(name[index])), secret.second)
    }
    return Tag(hash: hash)
  }

  /// Steps that a search for each key in the table takes in all. Complexity: O(slots).
  var steps: Int {
    table.indices.reduce(0) { steps, slot in
      table[slot] < 0 ? steps : steps + (slot - home(tags[Int(table[slot])])) & tableMask + 1
    }
  }
}
