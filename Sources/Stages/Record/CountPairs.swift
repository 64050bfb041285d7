package import Pipeline

/// Counts by number, in ascending order, in documents between processes: `[[NUMBER,COUNT],…]`.
package enum CountPairs {
  package typealias Pair = (number: Int, count: Int)

  /// Writes `pairs` as the field `key` of the open object.
  package static func write(
    _ pairs: some Sequence<Pair>, _ key: StaticString, to json: inout JSONWriter
  ) {
    json.array(key) { json in append(pairs, to: &json) }
  }

  /// Writes `pairs` as the field `key` of the open object.
  package static func write(
    _ pairs: some Sequence<Pair>, named key: some JSONScalar, to json: inout JSONWriter
  ) {
    json.array(named: key) { json in append(pairs, to: &json) }
  }

  private static func append(_ pairs: some Sequence<Pair>, to json: inout JSONWriter) {
    for (number, count) in pairs {
      json.array { json in
        json.item(number)
        json.item(count)
      }
    }
  }

  /// Reads the pairs at `index` of `tape`; nil for anything else, and when numbers are not in
  /// `numbers`, or counts out of range.
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
