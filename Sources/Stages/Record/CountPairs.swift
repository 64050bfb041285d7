package import Pipeline

/// Counts by number, in ascending order, in documents between processes: `[[NUMBER,COUNT],…]`.
package enum CountPairs {
  package typealias Pair = (number: Int, count: Int)

  package static func write(_ pairs: some Sequence<Pair>, to json: inout JSONWriter) {
    json.array { json in
      for (number, count) in pairs {
        json.array { json in
          json.item(number)
          json.item(count)
        }
      }
    }
  }

  package static func write(
    _ pairs: some Sequence<Pair>, _ key: StaticString, to json: inout JSONWriter
  ) {
    json.key(key)
    write(pairs, to: &json)
  }

  /// Reads pairs with positive counts, which are added up.
  package static func read(
    _ value: JSONValue, numbers: Range<Int>, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> [Pair] {
    let (tape, index) = value.node
    guard
      let pairs = read(tape, at: index, numbers: numbers, counts: 1...DocumentReading.mostOfOne)
    else { throw .isNot("counts by number, in order") }
    for (_, count) in pairs { try reading.take(count) }
    return pairs
  }

  /// The pairs at `index` of `tape`; nil for anything else.
  package static func read(
    _ tape: Tape, at index: Int, numbers: Range<Int>, counts: ClosedRange<Int>
  ) -> [Pair]? {
    guard tape[index].kind == .array else { return nil }
    var pairs: [Pair] = []
    var isSound = true
    tape.forEachItem(of: index) { item, _ in
      let values = tape.items(of: item)
      guard values.count == 2, let number = integer(tape, values[0]),
        let count = integer(tape, values[1]), numbers.contains(number), counts.contains(count),
        number > pairs.last?.number ?? .min
      else { return isSound = false }
      pairs.append((number, count))
    }
    return isSound ? pairs : nil
  }

  private static func integer(_ tape: Tape, _ index: Int) -> Int? {
    tape[index].kind == .integer ? Int(tape.bytes(at: index).text) : nil
  }
}

/// Counts by number, in whole pages from that of the least number on. Sums only, so they merge in
/// any order.
struct NumberCounts: Sendable, Equatable {
  private static let pageSize = 64
  private var first = 0
  private var counts: [Int] = []

  mutating func add(_ count: Int, _ number: Int) {
    if !counts.indices.contains(number - first) { makeRoom(for: number) }
    counts[number - first] += count
  }

  mutating func add(_ count: Int, _ numbers: ArraySlice<Int>) {
    for number in numbers { add(count, number) }
  }

  @inline(never)
  private mutating func makeRoom(for number: Int) {
    let page = number / Self.pageSize * Self.pageSize
    if counts.isEmpty { first = page }
    counts.insert(contentsOf: repeatElement(0, count: max(0, first - page)), at: 0)
    first = min(first, page)
    let missing = page + Self.pageSize - first - counts.count
    counts.append(contentsOf: repeatElement(0, count: max(0, missing)))
  }

  mutating func merge(_ other: NumberCounts) {
    for (number, count) in other.pairs { add(count, number) }
  }

  /// Those that are not 0.
  var pairs: [CountPairs.Pair] {
    counts.enumerated().compactMap { $1 == 0 ? nil : (first + $0, $1) }
  }

  static func == (one: NumberCounts, other: NumberCounts) -> Bool {
    one.pairs.elementsEqual(other.pairs, by: ==)
  }
}
