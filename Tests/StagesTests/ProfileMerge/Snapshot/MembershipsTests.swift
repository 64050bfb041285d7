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
      let key = ByteBuffer(text: person)
      let other = ByteBuffer(text: "custom:a")
      for number in 0..<5000 {
        let isOther = number < 2000
        let installation = ByteBuffer(text: "install:\(10_000 + number)")
        let value = ByteBuffer(text: Sample.text(isOther ? 20 : 1000))
        let records = ByteBuffer(records: [
          Mutation(.link, time: 1, value: installation.view),
          Mutation(.set, name: 0, time: 1, value: value.view),
        ])
        let owner = isOther ? other.view : key.view
        KeyState(key: owner, records: records.view).append(to: &slice.bytes)
      }
      try memberships.add(slice)
      try memberships.sort()
      for range in [KeyRange.all, KeyRange(lower: key.view, upper: nil)] {
        let found = try Self.found(memberships, partitions: 1, range)
        #expect(found[person]?.count == 3000)
        #expect(found["custom:a"]?.count == (range.lower == nil ? 2000 : nil))
      }
      let before = try Self.found(
        memberships, partitions: 1, KeyRange(lower: nil, upper: key.view))
      #expect(before.mapValues(\.count) == ["custom:a": 2000])
    }
  }
}
