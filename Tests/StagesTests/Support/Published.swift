@testable import Jobs
import Pipeline
@testable import Stages
import TestSupport

/// What a merge published. Equal when all files of the result have the same bytes.
struct Published {
  /// The bytes of its files, by path: profiles, state and counts.
  let files: [String: [UInt8]]
  let profiles: [String]
  /// Its keys as lines; empty when totals that no run has keep them from being read.
  let state: [String]
  /// What the state knows beside its keys.
  let totals: String
  let counts: String
  let csv: String
  let daily: String
  let frames: [[[UInt8]]]
  let stateFrames: [[[UInt8]]]
  let overflow: Int
  /// Events that were delivered before.
  let duplicates: DuplicateTally
  let accepted: Int
  /// Where it lies; valid as long as this value.
  let path: String
  private let staging: StagedDirectory
  private let scratch: ScratchDirectory

  /// Reads what was published into `staging`, which is in `scratch`.
  init(
    _ snapshot: PublishedSnapshot, in staging: StagedDirectory, _ scratch: ScratchDirectory,
    partitions: Int
  ) throws {
    self.staging = staging
    self.scratch = scratch
    path = staging.folder.path
    var files: [String: [UInt8]] = [:]
    for file in staging.listed { files[file.path] = try Published.bytes("\(path)/\(file.path)") }
    self.files = files
    func parts(_ folder: String) throws -> [FrameFile] {
      try (0..<partitions).map {
        try FrameFile(
          "\(staging.folder.path)/\(RunFiles.part($0, of: partitions, in: folder))",
          doing: "reading")
      }
    }
    let profileParts = try parts(RunFiles.profiles)
    frames = try profileParts.map(Published.frames)
    profiles = try profileParts.map(Published.text)
    let stateParts = try parts(RunFiles.state)
    stateFrames = try stateParts.map(Published.frames)
    state = (0..<partitions).compactMap { [path] in try? Published.state($0, of: path) }
    totals = try Published.text(FrameFile("\(path)/\(RunFiles.totals)", doing: "reading"))
    counts = String(decoding: files[RunFiles.countsJSON] ?? [], as: UTF8.self)
    csv = String(decoding: files[RunFiles.countsCSV] ?? [], as: UTF8.self)
    daily = String(decoding: files[RunFiles.dailyCounts] ?? [], as: UTF8.self)
    overflow = snapshot.tally.arrayOverflow
    duplicates = snapshot.tally.duplicates
    accepted = snapshot.accepted
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let file = try PositionedFile(path, doing: "reading")
    var bytes = ByteBuffer()
    try file.read(0..<file.size, into: &bytes)
    return bytes.view.array
  }

  static func state(_ partition: Int? = nil, of path: String) throws -> String {
    var text = ByteBuffer()
    try ProfileLookup(path, withKnownNames: true, control: JobControl())
      .forEachState(of: partition) { text.append($0) }
    return text.view.text
  }

  private static func text(_ file: FrameFile) throws -> String {
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    for frame in file.frames.indices { try reader.decode(frame: frame, of: file, into: &text) }
    return text.view.text
  }

  private static func frames(_ file: FrameFile) throws -> [[UInt8]] {
    try file.frames.indices.map { frame in
      var bytes = ByteBuffer()
      try file.read(frame: frame, into: &bytes)
      return bytes.view.array
    }
  }

  /// How many duplicates there are of each pair of inputs (dropped, counted).
  func duplicates(among inputs: [String]) -> [[String]: Int] {
    var names: [InputSourceID: String] = [:]
    for input in inputs { names[InputSourceID(path: input)] = input }
    var pairs: [[String]: Int] = [:]
    for (pair, count) in duplicates.pairs {
      pairs[[names[pair.dropped] ?? "?", names[pair.counted] ?? "?"], default: 0] += count
    }
    return pairs
  }

  /// The first file in which both differ, for messages; nil when they are equal.
  func difference(from other: Published) -> String? {
    if self == other { return nil }
    if counts != other.counts { return "counts:\n\(counts)---\n\(other.counts)" }
    if daily != other.daily { return "days:\n\(daily)---\n\(other.daily)" }
    if totals != other.totals { return "totals:\n\(totals)---\n\(other.totals)" }
    if profiles != other.profiles {
      return Published.firstDifference("profiles", profiles, other.profiles)
    }
    if state != other.state { return Published.firstDifference("state", state, other.state) }
    return "only the frames of \(files.keys.filter { files[$0] != other.files[$0] }.sorted())"
  }

  private static func firstDifference(_ what: String, _ a: [String], _ b: [String]) -> String {
    let (a, b) = (lines(a), lines(b))
    let position = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    let (one, two) = (a.dropFirst(position).first ?? "end", b.dropFirst(position).first ?? "end")
    return "\(what), line \(position):\n\(one)\n---\n\(two)"
  }

  private static func lines(_ parts: [String]) -> [Substring] {
    parts.joined().split(separator: "\n")
  }
}

extension Published: Equatable {
  /// Changes say more about the previous output than about this one.
  static func == (a: Published, b: Published) -> Bool {
    func files(_ published: Published) -> [String: [UInt8]] {
      published.files.filter { !$0.key.hasPrefix("\(RunFiles.changes)/") }
    }
    return files(a) == files(b)
  }
}
