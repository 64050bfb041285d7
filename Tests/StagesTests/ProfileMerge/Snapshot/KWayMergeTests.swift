import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KWayMergeTests {
  /// A source of given keys, sorted; each has a number of its own as its clear.
  private final class ListCursor: KeyCursor {
    private var text = ByteBuffer()
    private var records = ByteBuffer()
    private var keys: ArraySlice<(key: String, number: Int)>
    private let failsAt: String?
    private var head: KeyState?
    var key: ByteView? { head?.key }

    init(_ keys: [(key: String, number: Int)], failsAt: String? = nil) {
      self.keys = keys[...]
      self.failsAt = failsAt
      read()
    }

    func advance() throws(Failure) {
      keys.removeFirst()
      if failsAt != nil, keys.first?.key == failsAt { throw Failure(.io, doing: "", why: "") }
      read()
    }

    func state(_ position: inout UInt32) -> KeyState? {
      defer { position += 1 }
      return position == 0 ? head : nil
    }

    /// The key moves in memory with every step, as a file's does.
    private func read() {
      guard let next = keys.first else {
        head = nil
        return
      }
      text.removeAll()
      text.append(text: next.key)
      records = ByteBuffer(records: [Mutation(.clear, time: next.number)])
      head = KeyState(key: text.view, records: records.view)
    }
  }

  private typealias Found = [(key: String, numbers: [Int])]

  private static func merged(_ cursors: [any KeyCursor]) throws -> Found {
    var merge = KWayMerge(cursors)
    var found: Found = []
    while let key = merge.key {
      var numbers: [Int] = []
      merge.forEach { state in
        #expect(state.key == key)
        numbers.append(state.facts.clear.time)
      }
      found.append((key.text, numbers.sorted()))
      try merge.advance()
    }
    return found
  }

  @Test(arguments: Array(1...20) as [UInt64])
  func allSourcesOfAKeyMeet(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var sources: [[(key: String, number: Int)]] = []
    var expected: [String: [Int]] = [:]
    let alphabet = ["a", "b", "é", "\u{10000}", ""]
    for source in 0..<Int.random(in: 0...7, using: &random) {
      var keys: Set<String> = []
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        keys.insert((0..<3).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined())
      }
      sources.append(keys.sorted(by: less).map { ($0, source) })
      for key in keys { expected[key, default: []].append(source) }
    }
    let found = try Self.merged(sources.map { ListCursor($0) })
    #expect(found.map(\.key) == expected.keys.sorted(by: less), "seed \(seed)")
    for (key, numbers) in found { #expect(expected[key] == numbers, "seed \(seed), \(key)") }
  }

  /// A source may have a key several times, one behind the other (memberships): it comes as often.
  @Test func aKeyThatASourceHasTwiceComesTwice() throws {
    let found = try Self.merged([
      ListCursor([("a", 1), ("b", 2), ("b", 3), ("b", 4), ("c", 5)]),
      ListCursor([("b", 6), ("c", 7), ("c", 8)]),
    ])
    #expect(found.map(\.key) == ["a", "b", "b", "b", "c", "c"])
    #expect(found.map(\.numbers) == [[1], [2, 6], [3], [4], [5, 7], [8]])
  }

  @Test func withoutSourcesThereIsNothing() throws {
    #expect(KWayMerge([]).key == nil)
    var merge = KWayMerge([ListCursor([])])
    #expect(merge.key == nil)
    try merge.advance()
    #expect(merge.key == nil)
  }

  @Test func aSourceThatFailsEndsTheMerge() {
    let failure = #expect(throws: Failure.self) {
      try Self.merged([
        ListCursor([("a", 1), ("c", 1)], failsAt: "c"), ListCursor([("b", 2), ("d", 2)]),
      ])
    }
    #expect(failure?.kind == .io)
  }
}
