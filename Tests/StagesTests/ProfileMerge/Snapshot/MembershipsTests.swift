import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MembershipsTests {
  /// Adds memberships of many installations, in random order.
  private static func fill(
    _ memberships: Memberships, seed: UInt64
  ) throws -> [String: [String]] {
    var states = RandomStates(seed: seed)
    var expected: [String: Set<String>] = [:]
    for _ in 0..<20 {
      var copied = StateBytes()
      for _ in 0..<states.number(in: 0...30) {
        let number = states.number(in: 0...100_000)
        let installation = states.next("install:\(number)")
        guard let membership = Memberships.membership(of: installation) else {
          #expect(installation.link == nil)
          continue
        }
        let person = membership.key.text
        #expect(person == installation.link?.target.text)
        guard expected[person, default: []].insert("install:\(number)").inserted else { continue }
        copied.append(membership)
      }
      try memberships.add([], copied: Frozen(copied))
    }
    return expected.mapValues { $0.sorted(by: less) }
  }

  private static func found(
    _ memberships: Memberships, partitions: Int, _ range: KeyRange = .all
  ) throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    let reader = try KeyFrameReader(names: RunNames())
    for partition in 0..<partitions {
      var merge = KWayMerge(try memberships.cursors(partition, range, reader))
      var last = ""
      while let key = merge.key {
        let person = key.text
        #expect(!less(person, last), "people are in order")
        #expect(KeyHash.partition(XXH64.hash(key), of: partitions) == partition)
        last = person
        merge.forEach { found[person, default: []].append(installation(of: $0).text) }
        try merge.advance()
      }
    }
    return found
  }

  @Test(arguments: Array(1...6) as [UInt64])
  func spilledOrNotTheyAreTheSame(seed: UInt64) throws {
    let fixture = try SpillFixture()
    let partitions = 1 + Int(seed % 3)
    for limit in [Int.max, 4096, 0] {
      let store = fixture.store("fold-\(limit)", partitions: partitions)
      let memberships = Memberships(partitions: partitions, spills: store, limit: limit)
      #expect(memberships.isEmpty)
      let expected = try Self.fill(memberships, seed: seed)
      #expect(!memberships.isEmpty)
      try memberships.sort(on: CoreQueues(2))
      let found = try Self.found(memberships, partitions: partitions)
      #expect(found.mapValues { $0.sorted(by: less) } == expected, "seed \(seed), limit \(limit)")
      #expect(store.files.isEmpty == (limit == .max))
      if limit == .max { #expect(found == expected, "in order, seed \(seed)") }
      let person = KeyRange(lower: "custom:p1", upper: "custom:p2")
      #expect(
        try Self.found(memberships, partitions: partitions, person).mapValues {
          $0.sorted(by: less)
        }
          == expected.filter { $0.key == "custom:p1" }, "seed \(seed)")
    }
  }

  /// A person with more installations than a frame of a spill holds, where the merge may be cut:
  /// none of them is missed by who begins there.
  @Test func aPersonOfManyFramesIsWhole() throws {
    let fixture = try SpillFixture()
    let people = try (0..<2).map { isBeginning in
      try #require(
        (0...).lazy.map { "custom:p\($0)" }.first {
          KeyHash.beginsGroup(hash($0)) == (isBeginning == 0)
        })
    }
    for person in people {
      let memberships = Memberships(
        partitions: 1, spills: fixture.store("fold-\(person.dropFirst(7))"), limit: 0)
      var copied = StateBytes()
      var text = ByteBuffer()
      for (owner, count, length) in [("custom:a", 2000, 20), (person, 3000, 1000)] {
        for number in 0..<count {
          text.removeAll()
          text.append(text: owner)
          let position = text.count
          text.append(text: "install:\(10_000 + number)")
          let end = text.count
          while text.count < end + length { text.append(UInt8(ascii: "x")) }
          var state = KeyState(key: text[0..<position])
          state.links.merge(InstallationLink(time: 1, target: text[position..<end]))
          state.records = text.view.dropFirst(end)
          copied.append(state)
        }
      }
      try memberships.add([], copied: Frozen(copied))
      try memberships.sort(on: CoreQueues(2))
      text.removeAll()
      text.append(text: person)
      for range in [KeyRange.all, KeyRange(lower: text.view, upper: nil)] {
        let found = try Self.found(memberships, partitions: 1, range)
        #expect(found[person]?.count == 3000)
        #expect(found["custom:a"]?.count == (range.lower == nil ? 2000 : nil))
      }
      let before = try Self.found(
        memberships, partitions: 1, KeyRange(lower: nil, upper: text.view))
      #expect(before.mapValues(\.count) == ["custom:a": 2000])
    }
  }

  @Test func aMembershipIsTheInstallationTurnedAround() throws {
    var state = KeyState(key: "install:i")
    #expect(Memberships.membership(of: state) == nil)
    state.links.merge(InstallationLink(time: 5, target: "custom:u"))
    state.seen = Seen(first: 1, last: 2)
    state.clear = 3
    let membership = try #require(Memberships.membership(of: state))
    #expect(membership.key == "custom:u" && membership.seen == state.seen && membership.clear == 3)
    #expect(installation(of: membership) == "install:i" && membership.link?.time == 5)
  }
}
