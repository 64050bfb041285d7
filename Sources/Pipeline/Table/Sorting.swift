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
