import Pipeline
import Testing

@testable import Stages

@Suite struct KeySectionTests {
  @Test func sectionsSortAsTheirKeysDo() {
    let sections = KeySection.allCases
    for (a, b) in zip(sections, sections.dropFirst()) { #expect(a.prefix < b.prefix) }
    for section in sections {
      var key = ByteBuffer()
      key.append(section.prefix)
      key.append(text: "u")
      let isFound = KeySection(of: key.view) == section && section.id(of: key.view) == "u"
      #expect(isFound, "\(section)")
    }
    for other in ["", "custom", "Custom:u", "event:a", "installation:u"] as [ByteView] {
      #expect(KeySection(of: other) == nil)
    }
  }

  /// Shard, partition and group take other bits of a hash, so that every partition has groups of
  /// the usual size, however many partitions and shards there are.
  @Test(arguments: [1, 2, 3])
  func groupsHaveTheirSizeInEveryPartition(partitions: Int) {
    var keys = Array(repeating: 0, count: partitions)
    var begins = keys
    var text = ByteBuffer()
    for number in 0..<150_000 {
      text.removeAll()
      text.append("custom:user-")
      text.append(decimal: number)
      let hash = XXH64.hash(text.view)
      let partition = KeyHash.partition(hash, of: partitions)
      keys[partition] += 1
      if KeyHash.beginsGroup(hash) { begins[partition] += 1 }
    }
    for (keys, begins) in zip(keys, begins) {
      #expect(200.0...320.0 ~= Double(keys) / Double(begins))
    }
    let average = Double(keys.reduce(0, +)) / Double(begins.reduce(0, +))
    #expect(220.0...292.0 ~= average)
  }
}
