extension Tape {
  /// The value of a field of the object at `object`; of repeated ones the last (data-model 2).
  @inlinable package func member(_ name: ByteView, of object: Int) -> Int? {
    var found: Int?
    forEachMember(of: object) { key in
      let entry = self[key]
      if Int(entry.length) == name.count, bytes(entry) == name { found = key + 1 }
    }
    return found
  }

  /// Calls `body` with each key of an object, in source order; the value is next to it.
  @inlinable package func forEachMember<Failure: Error>(
    of object: Int, _ body: (_ key: Int) throws(Failure) -> Void
  ) throws(Failure) {
    let container = self[object]
    guard container.kind == .object else { return }
    var key = object + 1
    while key < Int(container.next) {
      try body(key)
      key = Int(self[key].next)
    }
  }

  /// Calls `body` with each item of an array and its number from 0.
  @inlinable package func forEachItem<Failure: Error>(
    of array: Int, _ body: (_ item: Int, _ position: Int) throws(Failure) -> Void
  ) throws(Failure) {
    let container = self[array]
    guard container.kind == .array else { return }
    var item = array + 1
    var position = 0
    while item < Int(container.next) {
      try body(item, position)
      position += 1
      item = Int(self[item].next)
    }
  }

  /// 0 when the entry is not an array.
  @inlinable package func itemCount(of array: Int) -> Int {
    var count = 0
    forEachItem(of: array) { _, _ in count += 1 }
    return count
  }
}
