extension Range<Int> {
  /// The first index that is not before the one searched for, of sorted elements; the end without
  /// one.
  @inlinable package func binarySearch(where isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Sequence<String> {
  /// The texts in byte order.
  package var sortedByBytes: [String] { sorted { $0.precedes($1) } }
}
