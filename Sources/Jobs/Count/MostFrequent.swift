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
