@testable import Jobs
import Pipeline
import TestSupport

@testable import Stages

/// Spills in a directory of their own.
final class SpillFixture {
  /// How many spills are merged into one: few, so that short runs come to it.
  static let mostOfSize = 24

  let scratch: ScratchDirectory
  let staging: StagedDirectory
  private var count = 0

  init() throws {
    scratch = try ScratchDirectory()
    staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    try staging.makeDirectory("work")
  }

  /// A store of spills here.
  func store(_ name: String = "spill", partitions: Int = 1) -> SpillStore {
    SpillStore(
      in: staging.folder, directory: "work", name: name, hasKeys: true, names: RunNames(),
      partitions: partitions, mostOfSize: Self.mostOfSize)
  }

  func spill(_ path: String) throws -> SortedRun {
    try SortedRun(spill: PositionedFile(path, doing: "testing"), partitions: 1, .own)
  }

  func write(names: NameLists? = nil, _ body: (RunWriter) throws -> Void) throws -> String {
    count += 1
    let file = try staging.folder.create("work/by-hand-\(count)")
    let writer = try RunWriter(file, level: 1, names: names)
    try body(writer)
    try writer.finish()
    return file.location
  }

  /// Writes touched keys, which are sorted, in one partition; with `records` as theirs.
  func write(_ keys: [String], records: (String) -> [UInt8]) throws -> String {
    try write { writer in
      for key in keys {
        var all = ByteBuffer(records: [Mutation(.touched)])
        all.append(contentsOf: records(key))
        try withByteView(of: key) { text in
          try writer.append(
            KeyState(key: text, records: all.view), section: KeySection(of: text) ?? .custom,
            hash: XXH64.hash(text), partition: 0)
        }
      }
    }
  }
}

extension ByteBuffer {
  init(records: [Mutation]) {
    self.init()
    for record in records { record.append(to: &self) }
  }
}

extension SortedRun {
  /// All states of a section of a partition, between two keys.
  func states(
    _ partition: Int, _ section: KeySection, from lower: String? = nil, to upper: String? = nil
  ) throws(Failure) -> [PlainState] {
    var limits = ByteBuffer()
    limits.append(text: lower ?? "")
    let position = limits.count
    limits.append(text: upper ?? "")
    let range = KeyRange(
      lower: lower.map { _ in limits[0..<position] },
      upper: upper.map { _ in limits.view.dropFirst(position) })
    var states: [PlainState] = []
    let reader = try KeyFrameReader(names: RunNames())
    let piece = KeyRangeTask(partition: partition, section: section, range: range)
    let cursor = try RunCursor(self, piece, isShared: false, reader)
    while let head = cursor?.head {
      states.append(PlainState(head))
      try cursor?.advance()
    }
    return states
  }
}
