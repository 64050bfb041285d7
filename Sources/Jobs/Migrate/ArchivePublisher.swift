import Pipeline
import Stages

/// Puts the files of a migration's checkpoint into the directory that is published.
struct ArchivePublisher {
  private static let doing = "reading back"

  let inputs: [ArchivedInput]
  let checkpoint: ArchiveCheckpoint
  let staging: StagedDirectory
  let control: JobControl

  /// Joins the rejects of all inputs, in their order: frames are copied as they are.
  ///
  /// - Throws: `io`.
  func joinRejects(level: Int) throws(Failure) -> WrittenFile {
    let file = try staging.folder.create(ArchiveFiles.rejects)
    guard inputs.contains(where: { $0.rejects != nil }) else {
      return try SeekableTextWriter(file, level: level).finish()
    }
    let joined = SeekableFile(file)
    var bytes = ByteBuffer()
    for input in inputs {
      guard let rejects = input.rejects else { continue }
      try checkpoint.check(rejects, of: input)
      let source = try FrameFile(
        "\(checkpoint.path)/\(rejects.path)", doing: Self.doing, system: control.system)
      for (index, frame) in source.frames.enumerated() {
        bytes.removeAll()
        try source.read(frame: index, into: &bytes)
        // A frame does not say how many lines it has; only the sum is of use.
        try joined.append(
          frame: bytes.view, decompressed: frame.decompressed,
          lines: index == 0 ? rejects.lines : 0)
      }
      try control.check()
    }
    return try joined.finish()
  }

  /// The logs under the paths that they will have, in the order of the inputs.
  func logs(_ targets: [ArchivePlan.Target]) -> [WrittenFile] {
    zip(inputs, targets).map { input, target in
      WrittenFile(
        path: target.path, bytes: input.log.bytes, lines: input.log.lines, xxh64: input.log.xxh64)
    }
  }

  /// Puts the logs where they go. In the checkpoint they stay, where the file system lets them,
  /// for a migration that fails before it has published.
  ///
  /// - Throws: `io`, also when the log of an earlier migration is not what it has written.
  func placeLogs(_ targets: [ArchivePlan.Target]) throws(Failure) {
    var folders: Set<[UInt8]> = []
    for target in targets {
      for folder in ArchivePlan.folders(of: target.path, besides: &folders) {
        try staging.makeDirectory(folder)
      }
    }
    for (input, target) in zip(inputs, targets) {
      try checkpoint.check(input.log, of: input)
      try control.check()
      try staging.folder.add("\(checkpoint.path)/\(input.log.path)", as: target.path)
    }
  }
}
