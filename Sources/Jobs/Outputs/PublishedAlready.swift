import Pipeline

/// Whether the output of a job is already published (`--if-same`).
extension ManifestFile {
  /// The manifest of the finished output in the directory `path`; nil for anything else.
  static func output(at path: String, _ system: System) -> ManifestFile? {
    guard let file = try? ManifestFile(path, doing: "comparing with", system: system),
      file.formatProblem == nil
    else { return nil }
    return file
  }

  /// Whether this program has made it with these options, as spelled in manifests, after a state
  /// with these hashes.
  func isMade(
    by tool: ToolVersion, with options: [String], after previous: [UInt64] = []
  ) -> Bool {
    self.tool == (tool.version, tool.zstd) && optionTexts == options && previousState == previous
  }
}

extension InputSelection {
  /// Whether `found` are exactly the inputs that a job has read to their ends, and those that it
  /// skipped. Files are read only when all paths and lengths match.
  ///
  /// - Throws: `io`, when an input cannot be read; the failure that the job was cancelled with.
  static func isSame(
    _ found: [InputFile], as inputs: [ManifestInput], _ alreadyRead: [AlreadyRead],
    previous: ManifestFile?, reingest: Bool, control: JobControl
  ) throws(Failure) -> Bool {
    // By bytes, because paths that are equal as characters may be two files.
    var listed: [[UInt8]: FileHash] = [:]
    var starts: [[UInt8]: InputStart] = [:]
    for input in inputs where !input.isLost {
      listed[Array(input.path.utf8)] = input.facts
      starts[Array(input.path.utf8)] = input.start
    }
    for input in alreadyRead { listed[Array(input.path.utf8)] = input.facts }
    func hash(_ file: InputFile) -> FileHash? { listed[Array(file.path.utf8)] }
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
      found, previous: previous, reingest: reingest, control: control)
    return selection.alreadyRead == alreadyRead && selection.changed.isEmpty
      && selection.inputs.allSatisfy { $0.start == starts[Array($0.path.utf8)] }
  }
}

/// The identity of an output, a partial or a merged partition: equal ones are made from the same
/// inputs, with the same options, after the same state, by the same program.
struct ManifestIdentity: Equatable {
  private let texts: [[UInt8]]

  /// The identity of the contents of the directory `path`; nil for anything else.
  init?(_ path: String, _ system: System) {
    let doing = "comparing outputs"
    guard let kind = try? ManifestFile.kind(of: path, doing: doing, system: system) else {
      return nil
    }
    if kind == .partial {
      guard let partial = try? PartialDirectory(path, system: system) else { return nil }
      let tool = partial.manifest.tool
      texts = partial.identity + [tool.version, tool.zstd].map { Array($0.utf8) }
      return
    }
    guard
      let manifest = try? ManifestFile(path, kind: kind, doing: doing, system: system)
    else { return nil }
    var texts = [kind.rawValue, manifest.tool.version, manifest.tool.zstd] + manifest.optionTexts
    texts += (manifest.previousState + [manifest.facts ?? 0]).map(XXH64.text)
    texts += manifest.inputs.map {
      "\($0.path)\n\($0.facts.bytes)\n\($0.lines)\n\(XXH64.text($0.facts.xxh64))\n\($0.isLost)"
    }
    texts += manifest.alreadyRead.map { "\($0.path)\n\(XXH64.text($0.facts.xxh64))\n\($0.earlier)" }
    self.texts = texts.map { Array($0.utf8) }
  }
}
