extension Range<Int> {
  /// The first index of sorted elements whose element does not stand before the one that is looked
  /// for; the end, when all do. Complexity: O(log n) calls of `isBefore`.
  @inlinable
  package func binarySearch(where isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Sequence<String> {
  /// The texts in the order of their bytes.
  package var sortedByBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}

extension PlainList {
  /// Up to so many elements are sorted by putting each where it belongs among those before it.
  @usableFromInline static var few: Int { 8 }

  /// Sorts the elements from `start` to `end` in place, not stably. Complexity: O(n log n).
  @inlinable
  package mutating func sort(
    from start: Int = 0, to end: Int? = nil, by precedes: (Element, Element) -> Bool
  ) {
    let end = end ?? count
    let length = end - start
    guard length > Self.few else {
      sortFew(start..<end, by: precedes)
      return
    }
    for root in stride(from: length / 2 - 1, through: 0, by: -1) {
      sink(root, of: length, from: start, by: precedes)
    }
    for last in stride(from: length - 1, to: 0, by: -1) {
      swap(start, start + last)
      sink(0, of: last, from: start, by: precedes)
    }
  }

  /// An insertion sort: n - 1 comparisons for what is sorted already.
  @inlinable
  mutating func sortFew(_ range: Range<Int>, by precedes: (Element, Element) -> Bool) {
    for next in range {
      var place = next
      while place > range.lowerBound, precedes(self[place], self[place - 1]) {
        swap(place, place - 1)
        place -= 1
      }
    }
  }

  /// Lets the element at `place` of a heap of `length` elements go down to where it belongs.
  @inlinable
  mutating func sink(
    _ place: Int, of length: Int, from start: Int, by precedes: (Element, Element) -> Bool
  ) {
    var place = place
    while true {
      var child = 2 * place + 1
      guard child < length else { return }
      if child + 1 < length, precedes(self[start + child], self[start + child + 1]) { child += 1 }
      guard precedes(self[start + place], self[start + child]) else { return }
      swap(start + place, start + child)
      place = child
    }
  }

  @inlinable
  mutating func swap(_ a: Int, _ b: Int) {
    let element = self[a]
    self[a] = self[b]
    self[b] = element
  }
}
