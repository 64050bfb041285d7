import Pipeline
import Stages

/// Moves the files of a migration's checkpoint into the published directory.
struct ArchivePublisher {
  private static let doing = "reading back"

  let inputs: [ArchivedInput]
  let checkpoint: ArchiveCheckpoint
  let staging: StagedDirectory
  let control: JobControl

  /// Concatenates the rejects of all inputs, in order: frames are copied unchanged.
  func joinRejects(level: Int) throws(Failure) -> WrittenFile {
    let file = try staging.folder.create(ArchiveFiles.rejects)
    guard inputs.contains(where: { $0.rejects != nil }) else {
      return try SeekableTextWriter(file, level: level).finish()
    }
    let joined = SeekableFile(file)
    for input in inputs {
      guard let rejects = input.rejects else { continue }
      try checkpoint.check(rejects, of: input)
      let source = try FrameFile(
        "\(checkpoint.path)/\(rejects.path)", doing: Self.doing, system: control.system)
      try joined.append(source, lines: rejects.lines)
      try control.check()
    }
    return try joined.finish()
  }

  /// The logs under their final paths, in the order of the inputs.
  func logs(_ targets: [ArchivePlan.Target]) -> [WrittenFile] {
    zip(inputs, targets).map { input, target in
      WrittenFile(
        path: target.path, bytes: input.log.bytes, lines: input.log.lines, xxh64: input.log.xxh64)
    }
  }

  /// Adds the logs under their final paths. They also stay in the checkpoint, if the file system
  /// supports links, in case the migration fails before it publishes.
  func placeLogs(_ targets: [ArchivePlan.Target]) throws(Failure) {
    var folders: Set<FilePath> = []
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
