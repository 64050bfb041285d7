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
