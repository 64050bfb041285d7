extension Range<Int> {
  /// The first index whose element is not before the one searched for; the end, if there is none.
  /// The elements must be sorted. Complexity: O(log n) calls of `isBefore`.
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
  /// The texts in byte order.
  package var sortedByBytes: [String] { sorted { $0.precedes($1) } }
}
