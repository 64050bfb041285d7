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

  /// Reads pairs with positive counts.
  package static func read(
    _ value: JSONValue, numbers: Range<Int>, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> [Pair] {
    let (tape, index) = value.node
    guard let pairs = read(tape, at: index, numbers: numbers, &reading) else {
      throw .isNot("counts by number, in order")
    }
    return pairs
  }

  /// The pairs at `index` of `tape`, whose counts are added up; nil for anything else. Their least
  /// count is 1, unless it is a difference.
  package static func read(
    _ tape: Tape, at index: Int, numbers: Range<Int>, isDifference: Bool = false,
    _ reading: inout DocumentReading
  ) -> [Pair]? {
    guard tape[index].kind == .array else { return nil }
    var pairs: [Pair] = []
    var isSound = true
    tape.forEachItem(of: index) { item, _ in
      guard isSound else { return }
      let values = tape.items(of: item)
      guard values.count == 2, let number = integer(tape, values[0]),
        let count = integer(tape, values[1]), numbers.contains(number), isDifference || count > 0,
        number > pairs.last?.number ?? .min, (try? reading.take(count)) != nil
      else { return isSound = false }
      pairs.append((number, count))
    }
    return isSound ? pairs : nil
  }

  private static func integer(_ tape: Tape, _ index: Int) -> Int? {
    tape[index].kind == .integer ? Int(tape.bytes(at: index).text) : nil
  }
}

/// Counts by number from 0, in pages of 0.5 KiB, created by their first number. Sums only, so they
/// merge in any order.
struct NumberCounts: Sendable, Equatable {
  private static let pageSize = 64
  /// By number of a page: the index of its first count.
  private var pages: [Int: Int] = [:]
  private var counts: [Int] = []
  /// The page that was used last.
  private var last = (number: Int.min, start: 0)

  mutating func add(_ count: Int, _ number: Int) {
    let page = number / Self.pageSize
    if page != last.number { turn(to: page) }
    counts[last.start + number % Self.pageSize] += count
  }

  mutating func add(_ count: Int, _ numbers: ArraySlice<Int>) {
    for number in numbers { add(count, number) }
  }

  @inline(never)
  private mutating func turn(to page: Int) {
    last = (page, pages[page] ?? counts.count)
    guard last.start == counts.count else { return }
    pages[page] = last.start
    counts += repeatElement(0, count: Self.pageSize)
  }

  mutating func merge(_ other: NumberCounts) {
    for (number, count) in other.pairs { add(count, number) }
  }

  /// Those that are not 0, in order.
  var pairs: [CountPairs.Pair] {
    pages.sorted { $0.key < $1.key }.flatMap { page, start in
      counts[start..<start + Self.pageSize].enumerated()
        .compactMap { $1 == 0 ? nil : (page * Self.pageSize + $0, $1) }
    }
  }

  static func == (one: NumberCounts, other: NumberCounts) -> Bool {
    one.pairs.elementsEqual(other.pairs, by: ==)
  }
}
