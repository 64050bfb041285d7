extension Tape {
  /// The index of the value of the field `name` of the object at `object`, if any; of repeated
  /// fields the last one (data-model 2).
  @inlinable
  package func member(_ name: ByteView, of object: Int) -> Int? {
    var found: Int?
    forEachMember(of: object) { key in
      let entry = self[key]
      if Int(entry.length) == name.count, bytes(entry) == name { found = key + 1 }
    }
    return found
  }

  /// Calls `body` with the index of each key of the object at `object`, in source order; the
  /// value's entry is the next one. Does nothing when the entry is not an object.
  @inlinable
  package func forEachMember<Failure: Error>(
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

  /// Calls `body` with the tape index of each item of the array at `array`, in source order, and
  /// its index from 0. Does nothing when the entry is not an array.
  @inlinable
  package func forEachItem<Failure: Error>(
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

  /// Number of items of the array at `array`; 0 when the entry is not an array.
  @inlinable
  package func itemCount(of array: Int) -> Int {
    var count = 0
    forEachItem(of: array) { _, _ in count += 1 }
    return count
  }
}
