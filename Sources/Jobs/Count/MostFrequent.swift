extension Sequence {
  /// The elements with the greatest counts first; those with equal counts keep their order.
  package func mostFrequentFirst(by count: (Element) -> Int) -> [Element] {
    // Swift's sorting is stable.
    sorted { count($0) > count($1) }
  }
}

extension Array {
  /// The `most` elements with the greatest counts, in their order; of equal counts the first ones.
  /// Complexity: O(n log n).
  package func mostFrequent(_ most: Int, by count: (Element) -> Int) -> [Element] {
    if self.count <= most { return self }
    let counts = map(count)
    return indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
      .prefix(most).sorted().map { self[$0] }
  }
}
