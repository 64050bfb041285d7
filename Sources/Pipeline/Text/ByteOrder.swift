extension Sequence<String> {
  /// The texts in the order of their bytes.
  package var sortedByBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}
