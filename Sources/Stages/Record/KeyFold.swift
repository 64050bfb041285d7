package import Pipeline

/// Finds equal keys of one object, so that the later one wins (data-model 2, 6).
///
/// Small objects are compared one by one; large ones through a table, so that the time is linear
/// for any keys: their hashes are keyed (``TableHash``). Reused: no allocation after warm-up. One
/// thread.
package final class KeyFold {
  /// A hash of a key. Opaque, because arithmetic on it would put keys into adjacent slots.
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
  private var count = 0
  /// All different keys when they are many.
  private var tags: [Tag] = []
  private var items: [Int32] = []
  /// Finds them in `tags`.
  private(set) var index = HashIndex()

  package init() {}

  package func begin() {
    filter = 0
    count = 0
    guard !tags.isEmpty else { return }
    tags.recycle()
    items.recycle()
    index.removeAll()
  }

  /// Adds the key of `item`, an index of the caller's, with the hash `tag`. Returns the latest
  /// earlier item with the same key, as decided by `isSame`. Complexity: O(1) on average.
  package func add(_ tag: Tag, item: Int, isSame: (Int) -> Bool) -> Int? {
    guard tags.isEmpty else { return addToTable(tag, item: item, isSame: isSame) }
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
        _ = addToTable(fewTags[index], item: Int(fewItems[index])) { _ in false }
      }
      return addToTable(tag, item: item, isSame: isSame)
    }
    fewTags[count] = tag
    fewItems[count] = Int32(item)
    count += 1
    return nil
  }

  /// The latest item with the key of hash `tag`, as decided by `isSame`. Complexity: O(1) on
  /// average.
  package func latest(_ tag: Tag, isSame: (Int) -> Bool) -> Int? {
    guard !tags.isEmpty else {
      for index in 0..<count where fewTags[index] == tag && isSame(Int(fewItems[index])) {
        return Int(fewItems[index])
      }
      return nil
    }
    let found = index.find(tag.hash) { has(tag, $0, isSame) }
    return found.map { Int(items[Int($0)]) }
  }

  private func addToTable(_ tag: Tag, item: Int, isSame: (Int) -> Bool) -> Int? {
    let (number, isNew) = index.findOrInsert(tag.hash, UInt32(tags.count)) { has(tag, $0, isSame) }
    if isNew {
      tags.append(tag)
      items.append(Int32(item))
      return nil
    }
    defer { items[Int(number)] = Int32(item) }
    return Int(items[Int(number)])
  }

  private func has(_ tag: Tag, _ number: UInt32, _ isSame: (Int) -> Bool) -> Bool {
    tags[Int(number)] == tag && isSame(Int(items[Int(number)]))
  }
}

extension KeyFold {
  package static func tag(
    _ bytes: ByteView, by secret: TableHash.Secret = TableHash.secret
  ) -> Tag {
    Tag(hash: secret.hash(bytes))
  }

  /// The tag of a key of the object numbered `object`, for keys of several objects together.
  package static func tag(
    _ bytes: ByteView, of object: Int32, by secret: TableHash.Secret = TableHash.secret
  ) -> Tag {
    // Spread over all bits: the products of consecutive numbers would be evenly spaced.
    let number = UInt64(UInt32(bitPattern: object)) &* secret.third
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
}
