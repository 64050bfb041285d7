import Pipeline
import TestSupport
import Testing

@Suite struct KeyTableTests {
  /// A key of a length around which its place changes, and how it is hashed.
  private static func key(_ random: inout RepeatableRandom) -> [UInt8] {
    let lengths = [0, 1, 51, 52, 53, 64, 500]
    let length = lengths.randomElement(using: &random) ?? 0
    let tail = UInt8(random.next() % 200)
    return Array(repeating: 7, count: max(0, length - 1)) + (length > 0 ? [tail] : [])
  }

  private static func buffer(_ bytes: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.append(contentsOf: bytes)
    return buffer
  }

  /// With seed 3 all keys share two hashes, so that only their bytes differ.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func behavesLikeADictionary(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var table = KeyTable<Int>()
    var model: [[UInt8]: Int] = [:]
    var numbers: [[UInt8]: UInt32] = [:]
    for round in 0..<20_000 {
      let key = Self.key(&random)
      let text = Self.buffer(key)
      let hash = seed == 3 ? UInt64(key.count % 2) : XXH64.hash(text.view)
      let next = table.next
      let number = table.findOrInsert(text.view, hash: hash, new: round)
      if let known = numbers[key] {
        #expect(number == known, "seed \(seed)")
        table[number] += 1
        model[key, default: 0] += 1
      } else {
        #expect(number == next, "seed \(seed)")
        numbers[key] = number
        model[key] = round
      }
      if table.hash(number) != hash || table.key(number).array != key {
        Issue.record("another key stands there, seed \(seed)")
      }
    }
    #expect(table.count == model.count)
    for (key, number) in numbers {
      #expect(table[number] == model[key], "seed \(seed)")
      #expect(table.key(number).array == key, "seed \(seed)")
    }
  }

  @Test func keepsEntriesOverManyChunks() {
    var table = KeyTable<Int>()
    var text = ByteBuffer()
    for value in 0..<20_000 {
      text.removeAll()
      text.append(decimal: value)
      #expect(table.findOrInsert(text.view, hash: XXH64.hash(text.view), new: value) == value)
    }
    for value in 0..<20_000 {
      text.removeAll()
      text.append(decimal: value)
      #expect(table[UInt32(value)] == value)
      #expect(table.key(UInt32(value)) == text.view)
    }
  }

  @Test func anEntryThatIsNotThereTraps() async {
    await #expect(processExitsWith: .failure) {
      var table = KeyTable<Int>()
      _ = table.findOrInsert("a", hash: 1, new: 1)
      print(table[1])
    }
  }

  @Test func anEntryThatDoesNotFitTraps() async {
    await #expect(processExitsWith: .failure) { _ = KeyTable<(SIMD8<Int64>, Int64)>() }
  }
}
