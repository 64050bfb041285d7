package import Pipeline

/// Finds keys of one object that fall together, so that the later one wins (SPEC 2, 4.1).
///
/// Small objects are compared one by one; large ones go through a table, so that an object with a
/// million keys costs time linear in its size. Reused from object to object: no allocation after
/// warm-up.
package final class KeyFold {
  /// From this many keys on a table is used.
  private static let tableFrom = 24

  /// The keys while there are few of them: they stand in the value itself.
  private var fewTags = [24 of UInt64](repeating: 0)
  private var fewItems = [24 of Int32](repeating: 0)
  /// One bit for each tag added, by its lowest six bits: most keys are seen to be new by it.
  private var filter: UInt64 = 0
  private var count = 0
  private var tags: [UInt64] = []
  private var items: [Int32] = []
  private var table: [Int32] = []
  private var tableMask = 0

  package init() {}

  /// Begins a new object.
  package func begin() {
    filter = 0
    count = 0
    tableMask = 0
  }

  /// Adds the key of `item` (a tape or list index of the caller's) with the hash `tag`. Returns the
  /// latest earlier item with the same key, as told by `isSame`, or nil.
  package func add(_ tag: UInt64, item: Int, isSame: (Int) -> Bool) -> Int? {
    let number = count
    count += 1
    guard number < KeyFold.tableFrom else {
      return addToTable(tag, item: item, number: number, isSame: isSame)
    }
    fewTags[number] = tag
    fewItems[number] = Int32(item)
    let bit = 1 &<< (tag & 63)
    let isNew = filter & bit == 0
    filter |= bit
    if isNew { return nil }
    var earlier = number - 1
    while earlier >= 0 {
      if fewTags[earlier] == tag && isSame(Int(fewItems[earlier])) {
        return Int(fewItems[earlier])
      }
      earlier -= 1
    }
    return nil
  }

  private func addToTable(
    _ tag: UInt64, item: Int, number: Int, isSame: (Int) -> Bool
  ) -> Int? {
    if number == KeyFold.tableFrom {
      tags.removeAll(keepingCapacity: true)
      items.removeAll(keepingCapacity: true)
      for index in 0..<number {
        tags.append(fewTags[index])
        items.append(fewItems[index])
      }
    }
    tags.append(tag)
    items.append(Int32(item))
    if tableMask == 0 || number >= (tableMask + 1) / 2 { rebuild() }
    var slot = Int(truncatingIfNeeded: tag ^ tag >> 29) & tableMask
    while table[slot] >= 0 {
      let earlier = Int(table[slot])
      if tags[earlier] == tag && isSame(Int(items[earlier])) {
        table[slot] = Int32(number)
        return Int(items[earlier])
      }
      slot = (slot + 1) & tableMask
    }
    table[slot] = Int32(number)
    return nil
  }

  /// Makes a table of all keys but the last one. Of equal keys only the latest matters; it is
  /// found first because later ones are put nearer to their slot.
  private func rebuild() {
    let size = max(128, (tableMask + 1) * 4)
    tableMask = size - 1
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(-1, count: size))
    for number in stride(from: tags.count - 2, through: 0, by: -1) {
      var slot = Int(truncatingIfNeeded: tags[number] ^ tags[number] >> 29) & tableMask
      while table[slot] >= 0 { slot = (slot + 1) & tableMask }
      table[slot] = Int32(number)
    }
  }
}

extension KeyFold {
  /// A hash of a key's bytes, for ``add(_:isSame:)``. Equal bytes have equal tags.
  package static func tag(_ bytes: ByteView) -> UInt64 {
    if bytes.count >= 8 {
      let head = bytes.word64(at: 0)
      let tail = bytes.word64(at: bytes.count - 8)
      var mixed = (head ^ UInt64(bytes.count)) &* 0x9E37_79B1_85EB_CA87
      mixed = (mixed ^ mixed >> 32 ^ tail) &* 0xC2B2_AE3D_27D4_EB4F
      mixed ^= mixed >> 32
      return bytes.count <= 16 ? mixed : mixed ^ XXH64.hash(bytes)
    }
    var word = UInt64(bytes.count)
    for index in 0..<bytes.count { word = word << 8 | UInt64(bytes[index]) }
    word = word &* 0x9E37_79B1_85EB_CA87
    return word ^ word >> 32
  }
}
