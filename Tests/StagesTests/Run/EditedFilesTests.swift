import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Files of outputs, partials and checkpoints that were edited, with manifests that fit them: no
/// command traps, and none takes it for a mistake of its own.
///
/// `EVENTMILL_TEST_EDITS` is how many edits there are of each directory; the seed is printed.
@Suite struct EditedFilesTests {
  private static let usualRounds = Effort.rounds(2, of: 6)

  @Test(arguments: EditedFiles.Target.allCases)
  func noEditTraps(_ target: EditedFiles.Target) async {
    await #expect(processExitsWith: .success, "\(target)") { [target] in
      let text = ProcessInfo.processInfo.environment["EVENTMILL_TEST_EDITS"]
      let rounds = text.flatMap(Int.init) ?? EditedFilesTests.usualRounds
      let files = try EditedFiles()
      let seed = UInt64.random(in: 0..<1_000_000_000)
      for round in 0..<rounds { try files.edit(target, seed: seed + UInt64(round)) }
    }
  }

  /// The text of a file's frames without its last line feed, and a manifest that fits.
  @Test(arguments: [RunFiles.totals, RunFiles.part(0, of: 1, in: RunFiles.state)], [1, 3])
  func aStateWithoutItsLastLineFeedIsDamaged(_ file: String, partitions: Int) throws {
    let files = try EditedFiles()
    try files.copy(.output)
    try files.change("work/\(file)") { frames in
      if let last = frames.lastIndex(where: { !$0.isEmpty }) { frames[last].removeLast() }
    }
    let failure = files.fixture.failure(["logs"], to: "new", after: "work") {
      $0.snapshot.partitions = partitions
    }
    // A part is read as a log is: its last line may lack its end.
    #expect(failure?.kind == .corrupt || failure == nil && file != RunFiles.totals)
  }

  @Test(arguments: [EditedFiles.Target.output, .archive, .redriven, .partial, .partitions])
  func sizesInAManifestThatAddUpToTooMuchAreDamage(_ target: EditedFiles.Target) throws {
    let files = try EditedFiles()
    try files.copy(target)
    let manifests = try files.fixture.scratch.files(below: "work").filter {
      $0.hasSuffix(RunFiles.manifest)
    }
    #expect(!manifests.isEmpty)
    for manifest in manifests {
      try files.copy(target)
      try files.change("work/\(manifest)") { texts in
        let text = String(decoding: texts[0], as: UTF8.self)
        texts[0] = Array(text.replacing(/"(bytes|lines)": ?\d+/) { "\"\($0.1)\":\(Int.max)" }.utf8)
      }
      try files.runAll(target, "\(manifest)")
    }
  }

  @Test(arguments: ["facts-9223372036854775807.json", "log-99999999999999999999.ndjson.zst"])
  func aNumberThatNoCheckpointReachesIsNotCountedOn(_ name: String) throws {
    let files = try EditedFiles()
    try files.copy(.migrationCheckpoint)
    try files.fixture.scratch.write("{}", to: ".out.resume/\(name)")
    try files.runAll(.migrationCheckpoint, "\(name)")
    #expect(files.fixture.scratch.has("out"))
    #expect(!files.fixture.scratch.has(".out.resume"))
  }
}

/// One of each directory that is read again, and edits of its files.
final class EditedFiles {
  enum Target: String, CaseIterable, Codable, Sendable {
    case output, partial, partitions, archive, redriven, migrationCheckpoint
  }

  let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    let lines = (0..<40).map { number in
      Sample.event(
        "user-\(number % 9)", "event_\(number % 4)", day: 1 + number % 20, id: "\(number)",
        attributes: #"{"n":\#(number),"tags":["a","b"]}"#)
    }
    let update =
      #"{"identifiers":{"custom_id":"user-1","installation_id":"phone"},"#
      + #""time":"2024-05-01T00:00:00Z","attributes":{"age":5,"city":null,"tags":{"add":["x"]}}}"#
    try fixture.log(lines + [update, Sample.event("user-1", "bad name")], "logs/a.ndjson")
    try fixture.log([Sample.event("user-2", "other", id: "7"), "{"], "logs/b.ndjson")
    try fixture.run(["logs"], to: "output", Self.change)
    try fixture.migrate(["logs"], to: "archive")
    let partials = PartialRuns(fixture)
    try partials.partial(["logs/a.ndjson"], to: "partial") {
      Self.change(&$0)
      $0.snapshot.partitions = 2
    }
    try partials.mergeSteps(["partial"], partitions: 2, to: "partitions", Self.change)
    let redrive = fixture.options(["output"], to: "redriven")
    _ = try RedriveJob(redrive.read, redrive.publish, control: JobControl()).run()
    // More rejects than allowed: the checkpoint stays.
    _ = fixture.migrateFailure(["logs"], to: "out") { $0.read.maxRejects = .lines(0) }
    try fixture.scratch.move(".out.resume", to: "migrationCheckpoint")
    try fixture.scratch.remove("out.rejected")
  }

  private static func change(_ options: inout RunOptions) { options.snapshot.dedupeDays = 3 }

  /// The directory in which files of the target are edited.
  private func position(_ target: Target) -> String {
    target == .migrationCheckpoint ? ".out.resume" : "work"
  }

  /// Puts a copy of the target where it is edited, partials taken apart, and nothing else.
  func copy(_ target: Target) throws {
    for name in ["work", ".out.resume", "out", "new", "out.rejected"]
    where fixture.scratch.has(name) { try fixture.scratch.remove(name) }
    try fixture.scratch.copy(target.rawValue, to: position(target))
    if target == .partial { try fixture.scratch.unpack("work") }
  }

  /// Edits a file of the target, and does whatever reads it.
  func edit(_ target: Target, seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    try copy(target)
    let directory = position(target)
    let files = try fixture.scratch.files(below: directory).filter { !$0.hasSuffix(".html") }
    let file = files[Int.random(in: 0..<files.count, using: &random)]
    let label = "\(target) \(file), seed \(seed)"
    FileHandle.standardError.write(Data("edits \(label)\n".utf8))
    try change("\(directory)/\(file)") { frames in
      let index = Int.random(in: 0..<max(1, frames.count), using: &random)
      guard index < frames.count else { return }
      frames[index] = Self.edited(frames[index], &random)
    }
    try runAll(target, label)
  }

  /// Does whatever reads the target.
  func runAll(_ target: Target, _ label: String) throws {
    let work = fixture.scratch("work")
    let again = fixture.options(["work"], to: "new")
    if target == .partial { try fixture.scratch.pack("work") }
    func expect<Value>(_ value: @autoclosure () throws(Failure) -> Value) throws {
      let failure = Failure.thrown(value)
      #expect(failure?.kind != .defect, "\(label): \(failure?.message ?? "")")
      if fixture.scratch.has("new") { try fixture.scratch.remove("new") }
    }
    switch target {
    case .output:
      for partitions in [1, 3] {
        var options = fixture.options(["logs/b.ndjson"], to: "new", after: "work")
        Self.change(&options)
        options.snapshot.partitions = partitions
        options.merge.reingest = true
        try expect(try NightlyRun(options, control: JobControl()).run())
      }
      try expect(try VerifyJob(work, jobs: 1, control: JobControl()).run())
      var erasing = again
      erasing.merge.erasureRequests = try fixture.log([#"{"custom_id":"user-1"}"#], "ids.ndjson")
      try expect(try EraseJob(work, options: erasing, control: JobControl()).run())
      try expect(try RedriveJob(again.read, again.publish, control: JobControl()).run())
    case .partial:
      let runs = PartialRuns(fixture)
      try expect(try runs.mergeSteps(["work"], partitions: 2, to: "out", Self.change))
      let options = fixture.options([], to: "out")
      try expect(try FinishJob(options, control: JobControl()).run())
    case .partitions:
      let options = fixture.options([], to: "work")
      try expect(try FinishJob(options, control: JobControl()).run())
    case .archive, .redriven:
      try expect(try VerifyJob(work, jobs: 1, control: JobControl()).run())
      try expect(try NightlyRun(again, control: JobControl()).run())
    case .migrationCheckpoint:
      var options = fixture.options(["logs"], to: "out")
      options.publish.resumes = true
      try expect(try MigrateJob(options.read, options.publish, control: JobControl()).run())
    }
  }

  // MARK: - Editing

  /// Changes the texts of the frames of a file, or its one text, and what a manifest says of it.
  func change(_ path: String, _ change: (inout [[UInt8]]) -> Void) throws {
    let before = try FileHash(of: fixture.scratch(path), doing: "testing")
    if let file = try? FrameFile(fixture.scratch(path), doing: "testing") {
      let reader = try FrameFileReader()
      var frames: [[UInt8]] = []
      for index in file.frames.indices {
        var text = ByteBuffer()
        try reader.decode(frame: index, of: file, into: &text)
        frames.append(text.view.array)
      }
      change(&frames)
      try fixture.scratch.remove(path)
      let new = SeekableFile(try OutputFile(path: path, in: fixture.scratch.path))
      for frame in frames {
        try withByteView(of: frame) { text in
          var compressed = ByteBuffer()
          try ZstdEncoder(level: 1).compress(text, into: &compressed)
          try new.append(frame: compressed.view, decompressed: frame.count, lines: 0)
        }
      }
      _ = try new.finish()
    } else {
      var text = [try fixture.scratch.bytes(path)]
      change(&text)
      try fixture.scratch.write(text[0], to: path)
    }
    let after = try FileHash(of: fixture.scratch(path), doing: "testing")
    let top = path.split(separator: "/")[0]
    for file in try fixture.scratch.files(below: String(top)) where file.hasSuffix(".json") {
      try fit("\(top)/\(file)", before, after)
    }
  }

  /// Puts what a file is `after` its edit where a document says what it was `before`.
  private func fit(_ path: String, _ before: FileHash, _ after: FileHash) throws {
    let text = try fixture.scratch.text(path)
    let (old, new) = (XXH64.text(before.xxh64), XXH64.text(after.xxh64))
    guard text.contains(old) else { return }
    var parts = text.components(separatedBy: old)
    for index in parts.indices.dropLast() {
      // The bytes stand before the hash.
      let number = "\(before.bytes),"
      if let range = parts[index].range(of: number, options: .backwards) {
        parts[index].replaceSubrange(range, with: "\(after.bytes),")
      }
    }
    try fixture.scratch.write(parts.joined(separator: new), to: path)
  }

  /// `text` with a number, a line or some bytes of it changed.
  private static func edited(_ text: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
    guard !text.isEmpty else { return [0x0A] }
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    switch pick(7) {
    case 0: return Array(text.dropLast())
    case 1: return Array(text.prefix(pick(text.count)))
    case 2:
      lines.remove(at: pick(lines.count))
      return Array(lines.joined(separator: [0x0A]))
    case 3:
      lines.insert(lines[pick(lines.count)], at: pick(lines.count))
      return Array(lines.joined(separator: [0x0A]))
    default: return Mutations.change(text, &random)
    }
  }
}
