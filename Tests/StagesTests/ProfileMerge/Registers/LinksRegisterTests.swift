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
      links.merge(other.links)
      mark = max(mark, other.mark)
    }

    var plain: [String] {
      let texts = [links.earliest, links.other, links.latest].map(Self.text)
      return texts + ["\(links.hasErased) \(links.standsAlone)"]
    }

    static func text(_ link: InstallationLink?) -> String {
      link.map { "\($0.target.text)@\($0.time)" } ?? "-"
    }
  }

  private struct Word {
    var link: (time: Int, target: StaticString)?
    var mark = Int.min
    var standsAlone = false
  }

  private static func words(_ random: inout RepeatableRandom) -> [Word] {
    (0..<6).map { _ in
      let time = Int(random.next() % 8)
      if random.next() % 4 == 0 { return Word(mark: time) }
      if random.next() % 30 == 0 { return Word(standsAlone: true) }
      return Word(link: (time, people[Int(random.next() % 3)]))
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

  private static func known(_ word: Word) -> Known {
    var known = Known(mark: word.mark)
    if let link = word.link {
      known.links.merge(InstallationLink(time: link.time, target: ByteView(link.target)))
    }
    if word.standsAlone { known.links.standAlone() }
    return known
  }

  /// Merging groups of words in any order, night by night, gives one result: that of all at once.
  @Test(arguments: Array(1...200) as [UInt64])
  func anyOrderAndGrouping(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let words = Self.words(&random)
    var plain: Set<[String]> = []
    for _ in 0..<12 {
      var parts = words.shuffled(using: &random).map(Self.known)
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
      let current = parts[0].links.current
      #expect(
        current.map { "\($0.target.text)@\($0.time)" } ?? "-" == Self.expected(words),
        "seed \(seed): \(words)")
    }
    #expect(plain.count == 1, "seed \(seed): \(words)")
  }

  @Test func tiesAreDecidedByBytes() {
    var links = LinksRegister()
    for target in Self.people.reversed() {
      links.merge(InstallationLink(time: 5, target: ByteView(target)))
    }
    #expect(links.earliest?.target == "custom:a" && links.latest?.target == "custom:c")
    #expect(links.current?.target == "custom:a")
    links.merge(InstallationLink(time: 4, target: "custom:b"))
    links.erase(through: 4)
    #expect(links.current?.target == "custom:c")
    links.erase(through: 5)
    #expect(links.current == nil && links.hasErased)
  }

  /// A link to an erased person is as if it had never been: the earliest of the others counts.
  @Test func removedLinksLeaveTheEarliestOfTheOthers() {
    var links = LinksRegister()
    let known: [(Int, StaticString)] = [
      (1, "custom:a"), (2, "custom:b"), (3, "custom:c"), (4, "custom:a"),
    ]
    for (time, target) in known {
      links.merge(InstallationLink(time: time, target: ByteView(target)))
    }
    #expect(links.current?.target == "custom:a" && links.other?.target == "custom:b")
    links.remove { $0.target == "custom:a" }
    #expect(links.current?.target == "custom:b" && !links.hasErased)
    #expect(links.other == nil && links.latest?.target == "custom:b")
    links.merge(InstallationLink(time: 10, target: "custom:c"))
    #expect(links.current?.target == "custom:b" && links.other?.time == 10)
    links.remove { $0.target == "custom:b" }
    #expect(links.current?.target == "custom:c" && links.all.count == 1)
    links.remove { $0.target == "custom:c" }
    #expect(links.isEmpty)
  }

  @Test func whatStandsAloneKeepsNoLink() {
    var links = LinksRegister(only: InstallationLink(time: 1, target: "custom:a"))
    links.standAlone()
    links.merge(LinksRegister(only: InstallationLink(time: 0, target: "custom:b")))
    #expect(links.current == nil && links.all.isEmpty && links.standsAlone && !links.isEmpty)
    links.erase(through: 9)
    #expect(!links.hasErased)
  }
}
