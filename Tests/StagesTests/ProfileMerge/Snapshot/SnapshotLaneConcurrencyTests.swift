@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What a merge copies from the previous snapshot, and what it renders again.
@Suite struct SnapshotLaneConcurrencyTests {
  private static let start = RandomHistory.start

  /// So many people, half of them with an installation.
  private static func people(_ count: Int) -> [Step] {
    (0..<count).flatMap { number in
      let key = "custom:user-\(number)"
      let own = [
        step(.event, key, "seen", "{\"n\":\(number)}"),
        step(.set, key, "text", quoted("\(hash(key)) \\ \(key)")),
      ]
      if number % 2 > 0 { return own }
      return own + [
        step(.link, "install:i-\(number)", "", "user-\(number)", after: 5),
        step(.addItem, "install:i-\(number)", "from", "i"),
      ]
    }
  }

  /// An output to continue from, whose frames have other bytes than those that are rendered again.
  private struct Before {
    let output: Published
    let frames: Set<[UInt8]>

    init(_ steps: [Step], _ settings: MergeSettings) throws {
      var settings = settings
      settings.level = 15
      output = try MergeRun.publish(steps, settings)
      frames = Set(output.frames[0] + output.stateFrames[0])
    }

    func isAnew(_ frame: [UInt8]) -> Bool { !frames.contains(frame) }
  }

  private static func step(
    _ kind: Step.Kind, _ key: String, _ name: String = "", _ value: String = "", after: Int = 0
  ) -> Step { Step(kind: kind, key: key, name: name, time: start + after, value: value) }

  /// What is merged into an output of many people, and how many frames of profiles and of the state
  /// are rendered again. Both files have the same cuts, so a group is rendered again in both or in
  /// neither.
  private struct Change {
    let what: String
    let steps: [Step]
    let profiles: ClosedRange<Int>
    let state: ClosedRange<Int>
    var jobs = 2
  }

  private static let changes = [
    Change(what: "nothing", steps: [], profiles: 0...0, state: 0...0),
    Change(what: "nothing, one job", steps: [], profiles: 0...0, state: 0...0, jobs: 1),
    Change(
      what: "one person", steps: [step(.set, "custom:user-77", "k", "1")], profiles: 1...1,
      state: 1...1),
    Change(
      what: "a new person", steps: [step(.touch, "custom:user-77a")], profiles: 1...2,
      state: 1...2),
    Change(
      what: "before the first and behind the last",
      steps: [step(.touch, "custom:a"), step(.touch, "custom:z")], profiles: 2...4, state: 2...4),
    Change(
      what: "an installation, which changes its person's profile but not the state",
      steps: [step(.addItem, "install:i-1000", "from", "x")], profiles: 1...1, state: 2...2),
    Change(
      what: "an earlier link, which takes an installation from the person left behind",
      steps: [step(.link, "install:i-1000", "", "user-77"), step(.touch, "custom:user-77")],
      profiles: 2...2, state: 3...3),
    Change(
      what: "a later link, which changes the state only",
      steps: [
        step(.link, "install:i-1000", "", "user-1400", after: 9), step(.touch, "custom:user-1400"),
      ], profiles: 1...2, state: 3...3),
  ]

  @Test func onlyGroupsWithChangesAreRenderedAgain() throws {
    let people = Self.people(1500)
    var settings = MergeSettings()
    settings.snapshot.dedupeDays = 3
    let before = try Before(people, settings)
    try #require(before.frames.count > 40)
    for change in Self.changes {
      settings.jobs = change.jobs
      let second = try MergeRun(settings)
      #expect(try second.goOn(from: before.output), "\(change.what)")
      try second.apply(change.steps)
      let next = try second.publish()
      let expected = try MergeRun.publish(people + change.steps, settings)
      #expect(next.profiles == expected.profiles && next.state == expected.state, "\(change.what)")
      #expect(next.counts == expected.counts && next.totals == expected.totals, "\(change.what)")
      for (parts, others, anew) in [
        (next.frames, expected.frames, change.profiles),
        (next.stateFrames, expected.stateFrames, change.state),
      ] {
        let frames = parts[0].dropFirst()
        let rendered = frames.filter { before.isAnew($0) }
        #expect(anew ~= rendered.count, "\(change.what)")
        // The same cuts, and the same bytes where nothing is copied.
        #expect(frames.count == others[0].count - 1, "\(change.what)")
        #expect(Set(rendered).isSubset(of: others[0]), "\(change.what)")
      }
    }
  }

  @Test func idsThatExpireCostTheirGroups() throws {
    var settings = MergeSettings()
    settings.snapshot.dedupeDays = 1
    let day = 86_400_000
    let ids = [3, 700, 900].map {
      Step(kind: .event, key: "custom:user-\($0)", name: "ids", time: Self.start + $0, id: "e")
    }
    let device = Step(kind: .event, key: "install:i-44", name: "ids", time: Self.start, id: "e")
    let before = try Before(Self.people(1000) + ids + [device], settings)
    // Enough events without a person, a day later, make the ids of 3 and 700 just too old.
    let late = Array(repeating: Self.step(.event, "", "late", after: day + 900), count: 100)
    let ways: [MergeRun.Continuation] = [.copying, .reading]
    let published = try ways.map {
      try MergeRun.publish(late, settings, after: before.output, by: $0)
    }
    let (next, read) = (published[0], published[1])
    #expect(next.state == read.state && next.profiles == read.profiles)
    #expect(next.profiles == before.output.profiles, "people keep their installations")
    #expect(next.state[0].split(separator: "\n").count { $0.contains("\"ids\":{\"ids\":{") } == 1)
    let anew = next.stateFrames[0].dropFirst().filter { before.isAnew($0) }
    #expect(anew.count == 3)
  }

  /// A filter that reports nearly every person as touched: more work, the same bytes.
  @Test func peopleTakenForOthersGiveTheSame() throws {
    let settings = MergeSettings()
    let before = try Before(Self.people(1000), settings)
    let next = try MergeRun(settings)
    try next.goOn(from: before.output)
    try next.apply((0..<60).map { Step(kind: .touch, key: "custom:user-\($0)") })
    let second = try next.publish { plan in
      var plan = plan
      plan.persons = DirtyPersonFilter()
      return plan
    }
    let output = before.output
    #expect(second.profiles == output.profiles && second.state == output.state)
    #expect(second.counts == output.counts)
    #expect(second.stateFrames[0].count { before.isAnew($0) } > 15)
  }

  /// So many changes that the previous snapshot is cut at new keys, also within its groups.
  @Test func manyPiecesAreOneSnapshot() throws {
    var settings = MergeSettings(shards: 2, jobs: 3)
    let later = (0..<2800).flatMap { number -> [Step] in
      if number % 5 == 0 { return [] }
      let set = Self.step(.set, "custom:user-\(number)\(number % 3 == 0 ? "\"" : "")", "later", "1")
      if number % 7 > 0 { return [set] }
      let (person, device) = ("user-\(number % 4 == 1 ? number : number / 2)", number / 2)
      return [
        set, Self.step(.link, "install:i-\(device)", "", person, after: number % 9),
        Self.step(.touch, "custom:\(person)"),
      ]
    }
    let people = Self.people(2500)
    let published = try MergeRun.publish(people, settings)
    let expected = try MergeRun.publish(people + later, settings)
    for isTight in [false, true] {
      settings.isTight = isTight
      let next = try MergeRun(settings)
      #expect(try next.goOn(from: published))
      try next.apply(later, slice: isTight ? 1000 : .max)
      let difference = try next.publish().difference(from: expected)
      #expect(difference == nil, "tight: \(isTight)")
    }
  }

  /// The merge is cut where groups begin, but a key that begins one may go with a person: where the
  /// frame ended then depended on the pieces. Its link may be in any source.
  @Test(arguments: ["logs", "spill", "previous"])
  func keysThatAreErasedCutNoFrames(links source: String) throws {
    var erasures = Erasures()
    let gone = ByteBuffer(text: "custom:gone")
    erasures.add(Erasures.Mark(time: .min, isForever: true), of: Erasures.digest(of: gone.view))
    let value = "{\"text\":\"\(String(repeating: "x", count: 300))\"}"
    let links = (0..<9000).map { number in
      let key = "install:i-\(number)"
      let isGone = KeyHash.beginsGroup(hash(key)) && number % 2 == 0
      return Self.step(.link, key, "", isGone ? "gone" : "left")
    }
    let events = links.map { Self.step(.event, $0.key, "a", value) }
    let goneKeys = Set(links.filter { $0.value == "gone" }.map(\.key))
    let previous = source == "previous" ? try MergeRun.publish(links) : nil
    var outputs: [Published] = []
    var cuts: [Int] = []
    for (shards, isTight) in [(1, false), (2, true), (3, true)] {
      let run = try MergeRun(MergeSettings(shards: shards, jobs: shards, isTight: isTight))
      if let previous {
        #expect(try run.goOn(from: previous))
      } else {
        try run.apply(links, slice: isTight ? 500 : .max)
        if source == "spill" { try run.spill() }
      }
      try run.apply(events, slice: isTight ? 500 : .max)
      outputs.append(
        try run.publish { plan in
          var plan = plan
          plan.erasures = erasures
          let pieces = (try? plan.pieces(0, .install)) ?? []
          cuts.append(pieces.count)
          let limits = pieces.compactMap { $0.range.lower?.text }
          #expect(goneKeys.isDisjoint(with: limits), "\(limits.filter(goneKeys.contains))")
          return plan
        })
    }
    #expect(cuts.allSatisfy { $0 > 3 }, "links to others prevent no cut: \(cuts)")
    for output in outputs { #expect(output.difference(from: outputs[0]) == nil) }
  }
}
