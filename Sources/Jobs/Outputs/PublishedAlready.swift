import Pipeline

/// Whether the output of a job is already published (`--if-same`).
extension Manifest {
  /// The manifest of the finished output in the directory `path`; nil for anything else.
  static func output(at path: String, _ system: System) -> Manifest? {
    try? Manifest(path, doing: "comparing with", system: system)
  }

  /// Whether it is like `expected`: made with the same options, after the same state, from the same
  /// facts, by the same program.
  func isMade(like expected: Manifest) -> Bool {
    identity(withInputs: false) == expected.identity(withInputs: false)
  }

  /// What manifests of the same contents have in common, as bytes: paths that are equal as
  /// characters may be two files.
  func identity(withInputs: Bool) -> [UInt8] {
    var common = Manifest(kind, by: tool, options)
    common.previousState = previousState
    if case .hash = facts { common.facts = facts }
    if withInputs { (common.inputs, common.alreadyRead) = (inputs, alreadyRead) }
    let text = common.text()
    return text.view.array
  }
}

extension InputSelection {
  /// Whether the inputs of `options` are exactly those that a job has read to their ends, and those
  /// that it skipped. Files are read only when all paths and lengths match.
  ///
  /// - Throws: `io`, when an input cannot be read; the failure that the job was cancelled with.
  static func isSame(
    _ options: RunOptions, as inputs: [ManifestInput], _ alreadyRead: [AlreadyRead],
    previous: Output?, _ control: JobControl
  ) throws(Failure) -> Bool {
    let output = options.publish.output
    let found = try InputDiscovery.survey(options.read, output: output, control).inputs
    var listed: [FilePath: FileHash] = [:]
    var starts: [FilePath: InputStart] = [:]
    for input in inputs where !input.isLost {
      listed[FilePath(input.path)] = input.facts
      starts[FilePath(input.path)] = input.start
    }
    for input in alreadyRead { listed[FilePath(input.path)] = input.facts }
    func hash(_ file: InputFile) -> FileHash? { listed[FilePath(file.path)] }
    guard inputs.count + alreadyRead.count == found.count, listed.count == found.count,
      found.allSatisfy({ $0.isReopenable && $0.size == hash($0)?.bytes })
    else { return false }
    for file in found {
      let facts = try FileHash(of: file.path, doing: "comparing with the output the input") {
        _ throws(Failure) in try control.check()
      }
      guard facts == hash(file) else { return false }
    }
    let selection = try InputSelection(
      found, previous: previous?.manifest, reingest: options.merge.reingest, control: control)
    return selection.alreadyRead == alreadyRead && selection.changed.isEmpty
      && selection.inputs.allSatisfy { $0.start == starts[FilePath($0.path)] }
  }
}

extension Manifest {
  /// The identity of the contents of the directory `path`: equal ones are made from the same
  /// inputs, with the same options, after the same state, by the same program. Nil for anything
  /// else.
  static func identity(of path: String, _ system: System) -> [[UInt8]]? {
    let doing = "comparing outputs"
    guard let kind = try? Manifest.kind(of: path, doing: doing, system: system) else { return nil }
    if kind == .partial {
      let partial = try? PartialDirectory(path, system: system)
      return partial.map { $0.identity + [$0.manifest.identity(withInputs: false)] }
    }
    let manifest = try? Manifest(path, kind: kind, doing: doing, system: system)
    return manifest.map { [$0.identity(withInputs: true)] }
  }
}
