import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MembershipsTests {
  /// Adds memberships of many installations, in random order.
  private static func fill(_ memberships: Memberships, seed: UInt64) throws -> [String: [String]] {
    var states = RandomStates(seed: seed)
    var expected: [String: Set<String>] = [:]
    for _ in 0..<20 {
      let slice = StateSlice()
      for _ in 0..<states.number(in: 0...30) {
        let number = states.number(in: 0...100_000)
        let installation = states.next("install:\(number)")
        guard let link = installation.facts.links.current else { continue }
        let person = link.target.text
        guard expected[person, default: []].insert("install:\(number)").inserted else { continue }
        Memberships.append(installation, link, to: &slice.bytes)
      }
      try memberships.add(slice)
    }
    return expected.mapValues { $0.sorted(by: less) }
  }

  private static func found(
    _ memberships: Memberships, partitions: Int, _ range: KeyRange = .all
  ) throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    let reader = try KeyFrameReader(names: RunNames())
    for partition in 0..<partitions {
      let piece = KeyRangeTask(partition: partition, section: .custom, range: range)
      memberships.expect([piece])
      var merge = KWayMerge(try memberships.cursors(piece, reader))
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
    return found.mapValues { $0.sorted(by: less) }
  }

  @Test(arguments: Array(1...6) as [UInt64])
  func inMemoryOrNotTheyAreTheSame(seed: UInt64) throws {
    let fixture = try SpillFixture()
    let partitions = 1 + Int(seed % 3)
    var settings = MergeSettings()
    settings.snapshot.partitions = partitions
    for isTight in [false, true] {
      settings.isTight = isTight
      let memberships = Memberships(
        settings.logs(in: fixture.staging.folder, directory: "work"), files: fixture.store(),
        jobs: 1)
      let expected = try Self.fill(memberships, seed: seed)
      try memberships.sort()
      let found = try Self.found(memberships, partitions: partitions)
      #expect(found == expected, "seed \(seed), \(isTight)")
      let range = KeyRange(lower: "custom:b", upper: "custom:c")
      let person = try Self.found(memberships, partitions: partitions, range)
      #expect(person == expected.filter { $0.key == "custom:b" }, "seed \(seed)")
    }
  }

  /// A person with more installations than a range should hold, where the merge may be cut:
  /// none of them is missed by who begins there.
  @Test func aPersonOfManyFramesIsWhole() throws {
    let fixture = try SpillFixture()
    let people = try (0..<2).map { isBeginning in
      try #require(
        (0...).lazy.map { "custom:p\($0)" }.first {
          KeyHash.beginsGroup(hash($0)) == (isBeginning == 0)
        })
    }
    let settings = MergeSettings(isTight: true)
    for person in people {
      var options = settings.logs(in: fixture.staging.folder, directory: "work")
      options.name = "members-\(person.dropFirst(7))"
      let memberships = Memberships(options, files: fixture.store(), jobs: 1)
      let slice = StateSlice()
      var text = ByteBuffer()
      for (owner, count, length) in [("custom:a", 2000, 20), (person, 3000, 1000)] {
        for number in 0..<count {
          text.removeAll()
          text.append(text: owner)
          let position = text.count
          text.append(text: "install:\(10_000 + number)")
          let end = text.count
          while text.count < end + length { text.append(UInt8(ascii: "x")) }
          let records = ByteBuffer(records: [
            Mutation(.link, time: 1, value: text[position..<end]),
            Mutation(.set, name: 0, time: 1, value: text.view.dropFirst(end)),
          ])
          KeyState(key: text[0..<position], records: records.view).append(to: &slice.bytes)
        }
      }
      try memberships.add(slice)
      try memberships.sort()
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
}
