@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// The changes of a night are what a comparison of two snapshots, line by line, finds.
@Suite struct ChangesConcurrencyTests {
  /// The profiles of a part by their keys, and the installations that fold into people.
  private struct Profiles {
    var lines: [String: String] = [:]
    var folded: Set<String> = []
  }

  private static func key(_ profile: NaiveJSON) throws -> String {
    let kind = try #require(profile["kind"]?.text)
    return "\(kind == "person" ? "custom" : "install"):\(try #require(profile["id"]?.text))"
  }

  private static func profiles(_ output: String, _ fixture: RunFixture) throws -> Profiles {
    var found = Profiles()
    for path in try fixture.scratch.files(below: output) where path.hasPrefix("profiles/") {
      for line in try fixture.text("\(output)/\(path)").split(separator: 0x0A) {
        let profile = try NaiveJSON(parsing: Array(line), maxDepth: 200)
        found.lines[try key(profile)] = String(decoding: line, as: UTF8.self)
        for id in profile["identifiers"]?["installation_ids"]?.items ?? [] {
          found.folded.insert("install:\(try #require(id.text))")
        }
      }
    }
    return found
  }

  /// The lines of changes of each part; their keys must ascend.
  private static func changes(_ output: String, _ fixture: RunFixture) throws -> [String: String] {
    var found: [String: String] = [:]
    for path in try fixture.scratch.files(below: output) where path.hasPrefix("changes/") {
      var last = ""
      for line in try fixture.text("\(output)/\(path)").split(separator: 0x0A) {
        let change = try NaiveJSON(parsing: Array(line), maxDepth: 200)
        let key = try key(try #require(change["profile"]))
        #expect(last.utf8.lexicographicallyPrecedes(key.utf8), "\(path)")
        last = key
        found[key] = String(decoding: line, as: UTF8.self)
      }
    }
    return found
  }

  private static func expected(_ old: Profiles, _ new: Profiles) -> [String: String] {
    var lines: [String: String] = [:]
    for (key, profile) in new.lines where old.lines[key] != profile {
      let change = old.lines[key] == nil ? "added" : "changed"
      lines[key] = "{\"change\":\"\(change)\",\"profile\":\(profile)}"
    }
    for key in old.lines.keys where new.lines[key] == nil && new.folded.contains(key) {
      let id = key.dropFirst("install:".count)
      lines[key] =
        "{\"change\":\"removed\",\"profile\":{\"id\":\"\(id)\",\"kind\":\"installation\"}}"
    }
    return lines
  }

  @Test func changesAreTheDifferencesOfTwoSnapshots() throws {
    let start = UInt64.random(in: 0...UInt64.max)
    var kinds: Set<Substring> = []
    var found = 0
    for seed in (0..<6).map({ start &+ $0 }) {
      var random = RepeatableRandom(seed: seed)
      var log = RandomLog(seed: seed, tellsPrivacy: true)
      let fixture = try RunFixture()
      var before = Profiles()
      for night in 0..<3 {
        let output = "night-\(night)"
        try fixture.log(log.lines(40), "\(night).ndjson")
        let requests = try fixture.log(
          log.requests(Int.random(in: 0...2, using: &random)), "requests-\(night).ndjson")
        // Other options make a night render everything again.
        let partitions = Int.random(in: 1...3, using: &random)
        let isErasing = Bool.random(using: &random)
        try fixture.run(
          ["\(night).ndjson"], to: output, after: night == 0 ? nil : "night-\(night - 1)"
        ) {
          $0.snapshot.partitions = seed % 2 == 0 ? 2 : partitions
          if isErasing { $0.merge.erasureRequests = requests }
          $0.read.jobs = 2
        }
        let after = try Self.profiles(output, fixture)
        let changes = try Self.changes(output, fixture)
        #expect(changes == (night == 0 ? [:] : Self.expected(before, after)), "seed \(seed)")
        kinds.formUnion(changes.values.map { $0.prefix(19) })
        before = after
      }
      let last = try Self.profiles("night-1", fixture)
      let requests = log.requests(3) + [#"{"custom_id":"user-1","installations":"keep"}"#]
      found += try checkErased("night-2", after: last, requests, fixture, seed)
    }
    #expect(kinds.count >= 2 && found > 0, "seed \(start)")
  }

  /// A copy without some people has the changes that the night with these requests has, but for
  /// profiles that the erasure makes what they were. It knows nothing of those that the night has
  /// erased. Returns in how many lines of changes the source names the people.
  private func checkErased(
    _ output: String, after before: Profiles, _ requests: [String], _ fixture: RunFixture,
    _ seed: UInt64
  ) throws -> Int {
    let requests = try fixture.log(requests, "requests.ndjson")
    try fixture.erase(from: output, to: "erased")
    func namesOfAbsent(_ output: String) throws -> Int {
      try VerifyJob(
        fixture.scratch(output), absent: requests, jobs: 2, control: JobControl()
      ).run().problems.count { $0.file.hasPrefix("changes/") }
    }
    #expect(try namesOfAbsent("erased") == 0, "seed \(seed)")
    let profiles = try Self.profiles("erased", fixture)
    let (source, told) = (try Self.profiles(output, fixture), try Self.changes(output, fixture))
    var known = before
    for key in before.lines.keys where source.lines[key] == nil && told[key] == nil {
      known.lines[key] = nil
    }
    let expected = Self.expected(known, profiles)
    let found = try Self.changes("erased", fixture).filter { key, _ in
      profiles.lines[key] == nil || profiles.lines[key] != before.lines[key]
    }
    let lines = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
      .map { "\($0): \(found[$0] ?? "nothing"), not \(expected[$0] ?? "nothing")" }
    #expect(lines == [], "seed \(seed)")
    return try namesOfAbsent(output)
  }
}
