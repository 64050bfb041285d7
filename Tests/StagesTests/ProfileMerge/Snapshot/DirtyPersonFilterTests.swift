import TestSupport
import Testing

@testable import Stages

@Suite struct DirtyPersonFilterTests {
  @Test(arguments: [1, 64, 1 << 12])
  func nobodyIsForgotten(words: Int) {
    var random = RepeatableRandom(seed: UInt64(words))
    let hashes = (0..<3000).map { _ in random.next() }
    var persons = DirtyPersonFilter(words: words)
    #expect(persons.isEmpty && !persons.contains(hashes[0]))
    for (number, hash) in hashes.enumerated() {
      persons.insert(hash)
      #expect(persons.contains(hash))
      if number % 500 == 499 { #expect(hashes[...number].allSatisfy(persons.contains)) }
    }
    #expect(!persons.isEmpty)
  }

  /// 13 bits for each, and few are taken for somebody they are not.
  @Test func fewAreFoundInVain() {
    var random = RepeatableRandom(seed: 9)
    var persons = DirtyPersonFilter(words: 1 << 12)
    for _ in 0..<20_000 { persons.insert(random.next()) }
    let wrong = (0..<20_000).count { _ in persons.contains(random.next()) }
    #expect(wrong < 2000)
  }
}
