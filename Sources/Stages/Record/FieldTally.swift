package import Pipeline

/// Counts occurrences of names in one block. Reused: nothing is allocated per record after warm-up.
package struct FieldTally: ~Copyable {
  private var index = HashIndex()
  private var names = ByteBuffer(capacity: 1 << 10)
  private var entries: [(name: Range<Int>, count: Int)] = []

  package init() {}

  package var count: Int { entries.count }

  /// The name with index `position`, valid until the tally changes, and its count.
  package func field(_ position: Int) -> (name: ByteView, count: Int) {
    (names[entries[position].name], entries[position].count)
  }

  package mutating func recycle() {
    if entries.isEmpty { return }
    index.removeAll()
    names.removeAll()
    names.shrink(to: RetainedCapacity.bytes)
    entries.recycle()
  }

  /// Counts one field called `name`. Complexity: O(length of the name).
  package mutating func add(_ name: ByteView) {
    let (position, isNew) = index.findOrInsert(TableHash.of(name), UInt32(entries.count)) {
      position in
      names[entries[Int(position)].name] == name
    }
    if isNew {
      entries.append((names.count..<names.count + name.count, 1))
      names.append(name)
    } else {
      entries[Int(position)].count += 1
    }
  }
}

/// Counts occurrences of names in a whole run: unknown fields (`unknown_fields` in the report), and
/// names that dialects count. It keeps the ``mostNames`` smallest names by bytes, so that the
/// result does not depend on the order of the input, and one number for all others.
package struct UnknownFields {
  package static let mostNames = 1000
  /// Longest part of a name that is kept, in bytes.
  package static let longestName = 120

  /// Above this number the greatest are dropped together, so that each new name costs little.
  private static let mostRemembered = 2 * mostNames

  private var counts: [[UInt8]: Int] = [:]
  private var forgotten = 0

  package init() {}

  /// Counts a name. Complexity: amortised O(log ``mostNames``).
  package mutating func add(_ name: ByteView, count: Int = 1) {
    let kept = Characters.wholeCharacters(name, atMost: UnknownFields.longestName)
    counts[name[0..<kept].array, default: 0] += count
    if counts.count > UnknownFields.mostRemembered { forgetGreatest() }
  }

  /// Adds the names of a block. Complexity: amortised O(log ``mostNames``) per name.
  package mutating func add(_ tally: borrowing FieldTally) {
    for position in 0..<tally.count {
      let (name, count) = tally.field(position)
      add(name, count: count)
    }
  }

  /// Whether a name that was kept may be the beginning of a longer one.
  package static func isCut(_ name: ByteView) -> Bool {
    // By up to three bytes, which do not end a character.
    longestName - 3...longestName ~= name.count
  }

  private mutating func forgetGreatest() {
    let smallest = Dictionary(uniqueKeysWithValues: smallest.map { ($0.key, $0.value) })
    forgotten += counts.values.reduce(0, +) - smallest.values.reduce(0, +)
    counts = smallest
  }

  /// The names kept and their counts, by bytes.
  package var sorted: [NamedCount] {
    smallest.map { NamedCount(String(decoding: $0.key, as: UTF8.self), $0.value) }
  }

  package var others: Int {
    forgotten + counts.values.reduce(0, +) - smallest.reduce(0) { $0 + $1.value }
  }

  /// The smallest names. They were never dropped, so their counts are complete.
  private var smallest: ArraySlice<(key: [UInt8], value: Int)> {
    counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(UnknownFields.mostNames)
  }
}
