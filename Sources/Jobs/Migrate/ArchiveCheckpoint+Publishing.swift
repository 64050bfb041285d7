import Pipeline
import Stages

/// Moves the files of the checkpoint into the directory to be published.
extension ArchiveCheckpoint {
  /// Concatenates the rejects of all inputs, in order: frames are copied unchanged.
  func joinRejects(
    of inputs: [ArchivedInput], in folder: StagedFolder, level: Int
  ) throws(Failure) -> WrittenFile {
    let file = try folder.create(RunFiles.rejects)
    guard inputs.contains(where: { $0.rejects != nil }) else {
      return try SeekableTextWriter(file, level: level).finish()
    }
    let joined = SeekableFile(file)
    for input in inputs {
      guard let rejects = input.rejects else { continue }
      try check(rejects, of: input)
      let source = try FrameFile(
        "\(path)/\(rejects.path)", doing: "reading back", system: control.system)
      try joined.append(source, lines: rejects.lines)
      try control.check()
    }
    return try joined.finish()
  }

  /// Adds the logs under their final paths. They also stay in the checkpoint, if the file system
  /// supports links, in case the migration fails before it publishes.
  func placeLogs(
    of inputs: [ArchivedInput], at targets: [ArchivePlan.Target], in staging: StagedDirectory
  ) throws(Failure) {
    var folders: Set<FilePath> = []
    for target in targets {
      for folder in ArchivePlan.folders(of: target.path, besides: &folders) {
        try staging.makeDirectory(folder)
      }
    }
    for (input, target) in zip(inputs, targets) {
      try check(input.log, of: input)
      try control.check()
      try staging.folder.add("\(path)/\(input.log.path)", as: target.path)
    }
  }
}
