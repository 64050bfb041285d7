package import Pipeline

/// How often each unknown root member was met, by name (SPEC 3.3, `unknown_fields` of the report).
///
/// Bounded: it keeps the ``mostNames`` smallest names by bytes, so that what is kept does not depend
/// on the order of the input, and the number of all others as one sum.
package struct FieldTally: ~Copyable {
  /// Most names kept apart.
  package static let mostNames = 1000
  /// Longest part of a name that is kept, in bytes.
  package static let longestName = 120
  /// With more names than this the greatest are forgotten, all at once, so that each new name costs
  /// little.
  private static let mostRemembered = 2 * mostNames

  private var counts: [[UInt8]: Int] = [:]
  /// Number of all unknown members, named or not.
  package private(set) var total = 0

  package init() {}

  /// Whether nothing was counted.
  package var isEmpty: Bool { total == 0 }

  /// Forgets everything.
  package mutating func removeAll() {
    guard total > 0 else { return }
    counts.removeAll(keepingCapacity: true)
    total = 0
  }

  /// Counts one member called `name`. Complexity: amortised O(log ``mostNames``).
  package mutating func add(_ name: ByteView) {
    let kept = Characters.wholeCharacters(name, atMost: FieldTally.longestName)
    unsafe add(name: name[0..<kept].withUnsafeBytes { unsafe Array($0) }, count: 1)
  }

  /// Adds what another tally counted.
  package mutating func merge(_ other: borrowing FieldTally) {
    guard !other.isEmpty else { return }
    let named = other.counts.values.reduce(0, +)
    for (name, count) in other.counts { add(name: name, count: count) }
    total += other.total - named
  }

  /// The names kept and their counts, by bytes.
  package var sorted: [(name: String, count: Int)] {
    smallest.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
  }

  /// The smallest names. They were never forgotten, so their counts are whole.
  private var smallest: ArraySlice<(key: [UInt8], value: Int)> {
    counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(FieldTally.mostNames)
  }

  private mutating func add(name: [UInt8], count: Int) {
    total += count
    if let known = counts[name] {
      counts[name] = known + count
      return
    }
    counts[name] = count
    if counts.count > FieldTally.mostRemembered {
      counts = Dictionary(uniqueKeysWithValues: smallest.map { ($0.key, $0.value) })
    }
  }
}
