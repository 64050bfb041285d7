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
      var steps = [
        Step(kind: .event, key: key, name: "seen", time: start, value: "{\"n\":\(number)}"),
        Step(
          kind: .set, key: key, name: "text", time: start, value: quoted("\(hash(key)) \\ \(key)")),
      ]
      if number % 2 == 0 {
        steps += [
          Step(kind: .link, key: "install:i-\(number)", time: start + 5, value: "user-\(number)"),
          Step(kind: .addItem, key: "install:i-\(number)", name: "from", time: start, value: "i"),
        ]
      }
      return steps
    }
  }

  private static let many = 1500

  private static func manySettings(jobs: Int) -> MergeSettings {
    var settings = MergeSettings()
    settings.jobs = jobs
    settings.snapshot.dedupeDays = 3
    return settings
  }

  /// An output of many people, made once for all tests.
  private static let output = Result { () throws -> RecompressedOutput in
    let settings = manySettings(jobs: 2)
    let run = try MergeRun(settings)
    try run.apply(people(many))
    return try RecompressedOutput(run.publish(), settings)
  }

  /// Checks how many frames are rendered again when `steps` are merged into an output of many
  /// people.
  private static func expectAnew(
    _ steps: [Step], profiles: ClosedRange<Int>, state: ClosedRange<Int>, jobs: Int = 2,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try output.get()
    try #require(before.frames.count > 40)
    let settings = manySettings(jobs: jobs)
    let second = try MergeRun(settings)
    #expect(try second.goOn(from: before.path), sourceLocation: sourceLocation)
    try second.apply(steps)
    let next = try second.publish()
    let atOnce = try MergeRun(settings)
    try atOnce.apply(people(many) + steps)
    let expected = try atOnce.publish()
    #expect(next.profiles == expected.profiles, sourceLocation: sourceLocation)
    #expect(next.state == expected.state, sourceLocation: sourceLocation)
    #expect(next.counts == expected.counts && next.totals == expected.totals)
    for (parts, others, anew) in [
      (next.frames, expected.frames, profiles), (next.stateFrames, expected.stateFrames, state),
    ] {
      let frames = parts[0].dropFirst()
      let rendered = frames.filter { before.isAnew($0) }
      #expect(anew ~= rendered.count, sourceLocation: sourceLocation)
      // The same cuts, and the same bytes where nothing is copied.
      #expect(frames.count == others[0].count - 1, sourceLocation: sourceLocation)
      #expect(Set(rendered).isSubset(of: others[0]), sourceLocation: sourceLocation)
    }
  }

  @Test func nothingNewCopiesEverything() throws {
    try Self.expectAnew([], profiles: 0...0, state: 0...0)
    try Self.expectAnew([], profiles: 0...0, state: 0...0, jobs: 1)
  }

  @Test func onePersonCostsOneGroup() throws {
    try Self.expectAnew(
      [Step(kind: .set, key: "custom:user-77", name: "k", time: Self.start, value: "1")],
      profiles: 1...1, state: 1...1)
  }

  @Test func aNewPersonCostsOneGroup() throws {
    try Self.expectAnew(
      [Step(kind: .touch, key: "custom:user-77a", time: Self.start)], profiles: 1...2,
      state: 1...2)
    // Before the first and behind the last of all.
    try Self.expectAnew(
      [
        Step(kind: .touch, key: "custom:a", time: Self.start),
        Step(kind: .touch, key: "custom:z", time: Self.start),
      ], profiles: 2...4, state: 2...4)
  }

  /// The installation's records change the person's profile, but not the person's state. Both files
  /// have the same cuts, so a group is rendered again in both or in neither.
  @Test func anInstallationCostsItsGroupAndThatOfItsPerson() throws {
    try Self.expectAnew(
      [Step(kind: .addItem, key: "install:i-1000", name: "from", time: Self.start, value: "x")],
      profiles: 1...1, state: 2...2)
  }

  /// An earlier link arrives late: the profile of the person it leaves loses the installation.
  @Test func aPersonLeftBehindIsRenderedAnew() throws {
    let link = Step(kind: .link, key: "install:i-1000", time: Self.start, value: "user-77")
    let touch = Step(kind: .touch, key: "custom:user-77")
    try Self.expectAnew([link, touch], profiles: 2...2, state: 3...3)

    var settings = MergeSettings()
    settings.jobs = 1
    let first = try MergeRun(settings)
    try first.apply(Self.people(1200))
    let second = try MergeRun(settings)
    try second.goOn(from: first.publish())
    try second.apply([link, touch])
    let profiles = try second.publish().profiles[0]
    #expect(profiles.contains(#"{"custom_id":"user-77","installation_ids":["i-1000"]}"#))
    #expect(profiles.contains(#""identifiers":{"custom_id":"user-1000"},"attributes":{"text""#))
  }

  /// A later link changes only the input of the installation's group.
  @Test func aLinkThatLosesLeavesItsPersonAlone() throws {
    try Self.expectAnew(
      [
        Step(kind: .link, key: "install:i-1000", time: Self.start + 9, value: "user-1400"),
        Step(kind: .touch, key: "custom:user-1400"),
      ], profiles: 1...2, state: 3...3)
  }

  @Test func idsThatExpireCostTheirGroups() throws {
    var settings = MergeSettings()
    settings.snapshot.dedupeDays = 1
    let day = 86_400_000
    let ids = [3, 700, 701].map {
      Step(kind: .event, key: "custom:user-\($0)", name: "ids", time: Self.start + $0, id: "e")
    }
    let first = try MergeRun(settings)
    try first.apply(Self.people(1000) + ids)
    let published = try first.publish()
    let before = try RecompressedOutput(published, settings)
    // Enough events without a person, a day later, make the ids of 3 and 700 just too old.
    let late = (0..<100).map { _ in
      Step(kind: .event, key: "", name: "late", time: Self.start + day + 701)
    }
    let second = try MergeRun(settings)
    try second.goOn(from: before.path)
    try second.apply(late)
    let next = try second.publish()
    let expected = try MergeRun(settings)
    try expected.goOn(from: published, by: .reading)
    try expected.apply(late)
    #expect(try next.state == expected.publish().state)
    #expect(next.state[0].split(separator: "\n").count { $0.contains("\"ids\":{\"ids\":{") } == 1)
    let anew = next.stateFrames[0].dropFirst().filter { before.isAnew($0) }
    #expect(anew.count == 2)
  }

  /// Only the ids of a person expire. The profile keeps the installations, whether copied or read.
  @Test func whoseIDsExpireKeepsTheInstallations() throws {
    var settings = MergeSettings()
    settings.snapshot.dedupeDays = 1
    let first = try MergeRun(settings)
    try first.apply(
      Self.people(100) + [
        Step(kind: .event, key: "custom:user-42", name: "a", time: Self.start, id: "e"),
        Step(kind: .event, key: "install:i-44", name: "a", time: Self.start, id: "e"),
      ])
    let published = try first.publish()
    for way in [MergeRun.Continuation.copying, .reading] {
      let next = try MergeRun(settings)
      #expect(try next.goOn(from: published, by: way) == (way == .copying))
      let late = Step(kind: .event, key: "", name: "late", time: Self.start + 10 * 86_400_000)
      try next.apply(Array(repeating: late, count: 100))
      let second = try next.publish()
      #expect(second.profiles == published.profiles, "\(way)")
      #expect(!second.state[0].contains("\"ids\":{"))
    }
  }

  /// A filter that reports nearly every person as touched: more work, the same bytes.
  @Test func peopleTakenForOthersGiveTheSame() throws {
    let settings = MergeSettings()
    let first = try MergeRun(settings)
    try first.apply(Self.people(1000))
    let published = try first.publish()
    let before = try RecompressedOutput(published, settings)
    let next = try MergeRun(settings)
    try next.goOn(from: before.path)
    try next.apply((0..<60).map { Step(kind: .touch, key: "custom:user-\($0)") })
    let second = try next.publish { plan in
      var plan = plan
      plan.persons = DirtyPersonFilter()
      return plan
    }
    #expect(second.profiles == published.profiles && second.state == published.state)
    #expect(second.counts == published.counts)
    #expect(second.stateFrames[0].count { before.isAnew($0) } > 15)
  }

  /// So many changes that the previous snapshot is cut at new keys, also within its groups.
  @Test func manyPiecesAreOneSnapshot() throws {
    var settings = MergeSettings()
    (settings.jobs, settings.shards) = (3, 2)
    let later = (0..<2800).flatMap { number -> [Step] in
      if number % 5 == 0 { return [] }
      let key = "custom:user-\(number % 3 == 0 ? "\(number)\"" : "\(number)")"
      var steps = [Step(kind: .set, key: key, name: "later", time: Self.start, value: "1")]
      if number % 7 == 0 {
        steps.append(
          Step(
            kind: .link, key: "install:i-\(number / 2)", time: Self.start + number % 9,
            value: "user-\(number % 4 == 1 ? number : number / 2)"))
        steps.append(
          Step(kind: .touch, key: "custom:user-\(number % 4 == 1 ? number : number / 2)"))
      }
      return steps
    }
    let first = try MergeRun(settings)
    try first.apply(Self.people(2500))
    let published = try first.publish()
    let once = try MergeRun(settings)
    try once.apply(Self.people(2500) + later)
    let expected = try once.publish()
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
  /// frame ended then depended on the pieces.
  @Test func keysThatAreErasedCutNoFrames() throws {
    var erasures = Erasures()
    let gone = ByteBuffer(text: "custom:gone")
    erasures.add(Erasures.Mark(time: .min, isForever: true), of: Erasures.digest(of: gone.view))
    let value = "{\"text\":\"\(String(repeating: "x", count: 300))\"}"
    let steps = (0..<12_000).flatMap { number -> [Step] in
      let key = "install:i-\(number)"
      let isGone = KeyHash.beginsGroup(hash(key)) && number % 2 == 0
      let link = Step(kind: .link, key: key, time: Self.start, value: isGone ? "gone" : "left")
      if isGone { return [link] }
      return [link, Step(kind: .event, key: key, name: "a", time: Self.start, value: value)]
    }
    var outputs: [Published] = []
    var cuts: [[String]] = []
    for (shards, isTight) in [(1, false), (2, true), (3, true)] {
      var settings = MergeSettings()
      (settings.jobs, settings.shards, settings.isTight) = (shards, shards, isTight)
      let run = try MergeRun(settings)
      try run.apply(steps, slice: isTight ? 500 : .max)
      let output = try run.publish { plan in
        var plan = plan
        plan.erasures = erasures
        let pieces = (try? plan.pieces(0, .install)) ?? []
        cuts.append(pieces.compactMap { $0.range.lower?.text })
        return plan
      }
      outputs.append(output)
    }
    #expect(cuts.allSatisfy { $0.count > 2 }, "links to others prevent no cut: \(cuts)")
    for output in outputs { #expect(output.difference(from: outputs[0]) == nil) }
  }

  /// A frame that is not what the manifest's hash promised is found when it is read.
  @Test func aProfileThatIsMissingIsCorrupt() throws {
    var settings = MergeSettings()
    settings.jobs = 1
    let run = try MergeRun(settings)
    try run.apply(Self.people(200))
    let published = try run.publish()
    let damaged = try RecompressedOutput(published, settings) { name, text in
      name.hasPrefix(RunFiles.profiles) ? text.replacing("\"user-6\"", with: "\"user-x\"") : text
    }
    let next = try MergeRun(settings)
    try next.goOn(from: damaged.path)
    try next.apply([Step(kind: .touch, key: "custom:user-6", time: 0)])
    let failure = #expect(throws: Failure.self) { try next.publish() }
    #expect(failure?.kind == .corrupt)
    #expect(failure?.path?.contains(RunFiles.profiles) == true)
  }
}
