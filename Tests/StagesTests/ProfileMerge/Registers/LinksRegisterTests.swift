import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct LinksRegisterTests {
  private static let people: [StaticString] = ["custom:a", "custom:b", "custom:c"]

  /// What is known of an installation: its links and its latest mark.
  private struct Known {
    var links = LinksRegister()
    var mark = Int.min

    /// What a night writes down of it.
    mutating func settle() { links.erase(through: mark) }

    mutating func merge(_ other: Known) {
      if other.links.standsAlone { links.standAlone() }
      if other.links.hasErased { links.noteErased() }
      for link in other.links.all { links.merge(link) }
      mark = max(mark, other.mark)
    }

    var plain: [String] {
      let texts = [links.earliest, links.other, links.latest].map(LinksRegisterTests.text)
      return texts + ["\(links.hasErased) \(links.standsAlone) \(links.all.count)"]
    }
  }

  private static func text(_ link: InstallationLink?) -> String {
    link.map { "\($0.target.text)@\($0.time)" } ?? "-"
  }

  private struct Word {
    var link: (time: Int, target: StaticString)?
    var mark = Int.min
    var standsAlone = false

    init(_ random: inout RepeatableRandom) {
      let time = Int(random.next() % 8)
      switch random.next() % 30 {
      case 0..<7: mark = time
      case 7: standsAlone = true
      default: link = (time, LinksRegisterTests.people[Int(random.next() % 3)])
      }
    }

    var known: Known {
      var known = Known(mark: mark)
      if let link {
        known.links.merge(InstallationLink(time: link.time, target: ByteView(link.target)))
      }
      if standsAlone { known.links.standAlone() }
      return known
    }
  }

  /// What the words come to, read aloud.
  private static func expected(_ words: [Word]) -> String {
    if words.contains(where: \.standsAlone) { return "-" }
    let mark = words.map(\.mark).max() ?? .min
    let links = words.compactMap(\.link).map { (time: $0.time, target: "\($0.target)") }
      .sorted { ($0.time, $0.target) < ($1.time, $1.target) }
    let hasErased = links.contains { $0.time <= mark }
    let left = links.filter { $0.time > mark }
    return (hasErased ? left.last : left.first).map { "\($0.target)@\($0.time)" } ?? "-"
  }

  /// A forged state may link a person, or name a person in a membership.
  @Test(arguments: [
    (KeySection.install, SortedRun.Content.partial, "custom:a", true),
    (.custom, .partial, "custom:a", false), (.install, .partial, "install:a", false),
    (.custom, .memberships, "install:a", true), (.custom, .memberships, "custom:a", false),
  ])
  func whoMayBeLinked(
    section: KeySection, content: SortedRun.Content, target: StaticString, isSound: Bool
  ) {
    var place = RecordPlace(section: section, hasProfile: true, content: content)
    let time = 20_000 * DayNumber.milliseconds
    let link = Mutation(.link, time: time, words: (0, 0), value: ByteView(target))
    let found = LinksRegister.isSound(link, &place)
    #expect(found == isSound)
  }

  /// Merging groups of words in any order, night by night, gives one result: that of all at once.
  @Test(arguments: Array(1...200) as [UInt64])
  func anyOrderAndGrouping(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let words = (0..<6).map { _ in Word(&random) }
    var plain: Set<[String]> = []
    for _ in 0..<12 {
      var parts = words.shuffled(using: &random).map(\.known)
      while parts.count > 1 {
        let other = parts.remove(at: Int(random.next() % UInt64(parts.count)))
        let position = Int(random.next() % UInt64(parts.count))
        parts[position].merge(other)
        // Some nights end here.
        if random.next() % 2 == 0 { parts[position].settle() }
        // What is merged again changes nothing.
        if random.next() % 2 == 0 { parts[position].merge(parts[position]) }
      }
      parts[0].settle()
      plain.insert(parts[0].plain)
      #expect(!parts[0].links.isEmpty || words.allSatisfy { $0.link == nil && !$0.standsAlone })
      #expect(Self.text(parts[0].links.current) == Self.expected(words), "seed \(seed): \(words)")
    }
    #expect(plain.count == 1, "seed \(seed): \(words)")
  }

  /// A link to an erased person is as if it had never been: the earliest of the others counts.
  @Test func removedLinksLeaveTheEarliestOfTheOthers() {
    var links = LinksRegister()
    for (time, target) in zip(1...4, Self.people + [Self.people[0]]) {
      links.merge(InstallationLink(time: time, target: ByteView(target)))
    }
    func texts() -> [String] { [links.current, links.other].map(Self.text) }
    #expect(texts() == ["custom:a@1", "custom:b@2"])
    links.remove { $0.target == "custom:a" }
    #expect(texts() == ["custom:b@2", "-"] && !links.hasErased)
    #expect(links.latest?.target == "custom:b")
    links.merge(InstallationLink(time: 10, target: "custom:c"))
    #expect(texts() == ["custom:b@2", "custom:c@10"])
    links.remove { $0.target == "custom:b" }
    #expect(texts()[0] == "custom:c@10" && links.all.count == 1)
    links.remove { $0.target == "custom:c" }
    #expect(links.isEmpty)
  }
}
