@testable import Jobs
import Pipeline
import TestSupport

@testable import Stages

/// An output with the same text as another one, but with other bytes in its frames. Its manifest
/// lists them. Copied frames therefore differ from frames that are rendered again.
final class RecompressedOutput: @unchecked Sendable {
  // @unchecked because nothing changes after init.
  let path: String
  /// The bytes of its frames. Few are those of the other output, such as of frames without lines.
  private(set) var frames: Set<[UInt8]> = []
  private let scratch: ScratchDirectory
  private let staging: StagedDirectory

  /// Compresses all frames of `published`, a run with `settings`, with another level; `change` may
  /// change the text of any file of lines.
  init(
    _ published: Published, _ settings: MergeSettings, level: Int = 15,
    changing change: (_ file: String, _ text: String) -> String = { $1 }
  ) throws {
    scratch = try ScratchDirectory()
    staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    path = staging.folder.path
    try staging.makeDirectory(RunFiles.profiles)
    try staging.makeDirectory(RunFiles.state)
    for name in published.files.keys.sorted()
    where name.hasSuffix(".zst") && !name.contains("index") {
      try recompress(name, of: published.path, level) { change(name, $0) }
    }
    for part in 0..<settings.options.snapshot.partitions {
      try writeIndex(part, of: settings.options.snapshot.partitions, published.path)
    }
    try Manifest(.output, by: .unversioned, settings.options.recorded(Erasures())).write(
      to: staging)
  }

  private func recompress(
    _ name: String, of output: String, _ level: Int, _ change: (String) -> String
  ) throws {
    let source = try FrameFile("\(output)/\(name)", doing: "reading")
    let (reader, encoder) = (try FrameFileReader(), try ZstdEncoder(level: level))
    let file = SeekableFile(try staging.folder.create(name))
    for frame in source.frames.indices {
      var text = ByteBuffer()
      try reader.decode(frame: frame, of: source, into: &text)
      if !name.hasPrefix("\(RunFiles.state)/part-") {
        let changed = change(text.view.text)
        text.removeAll()
        text.append(text: changed)
      }
      var bytes = ByteBuffer()
      try encoder.compress(text.view, into: &bytes)
      try file.append(
        frame: bytes.view, decompressed: text.count, lines: NewlineScan(text.view).count)
      frames.insert(bytes.view.array)
    }
    try file.finish()
  }

  /// Writes the index of a part as the output `published` has it, with the frames as they are now.
  private func writeIndex(
    _ part: Int, of partitions: Int, _ published: String
  ) throws {
    func open(_ folder: String) throws -> FrameFile {
      try FrameFile(
        "\(staging.folder.path)/\(RunFiles.part(part, of: partitions, in: folder))",
        doing: "reading")
    }
    func frame(
      _ number: Int, of file: FrameFile, _ before: WrittenFrame
    ) throws -> WrittenFrame {
      var bytes = ByteBuffer()
      try file.read(frame: number, into: &bytes)
      return WrittenFrame(
        bytes.view, text: file.frames[number].decompressed, lines: before.lines)
    }
    let (state, profiles) = (try open(RunFiles.state), try open(RunFiles.profiles))
    let name = RunFiles.index(part, of: partitions)
    let source = try FrameFile("\(published)/\(name)", doing: "reading")
    let reader = try FrameFileReader()
    let file = SeekableFile(try staging.folder.create(name))
    let writer = try IndexWriter(file)
    var number = 0
    for index in source.frames.indices {
      var text = ByteBuffer()
      try reader.decode(frame: index, of: source, into: &text)
      var offset = 0
      while let entry = IndexEntry(text.view, at: &offset) {
        try writer.append(
          IndexEntry(
            state: frame(number, of: state, entry.state),
            profiles: frame(number, of: profiles, entry.profiles), key: entry.key,
            facts: entry.facts))
        number += 1
      }
      try writer.endFrame()
    }
    try file.finish()
  }

  /// Whether a frame was not copied from here.
  func isAnew(_ frame: [UInt8]) -> Bool { !frames.contains(frame) }
}
