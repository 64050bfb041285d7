import Pipeline
import Stages

/// What directories that this program has published mean as inputs: an archive and the output of a
/// redrive the logs in their manifests, not their reports and rejects, although some have names
/// like logs; any other output nothing.
enum ArchiveListing {
  private static let doing = "looking for inputs at"

  /// What the directory `path`, which contains `names`, means; nil when it is not such a directory.
  ///
  /// - Throws: `corrupt`, when its manifest is damaged; `io`.
  static func logs(
    in path: String, _ names: [String], _ system: System
  ) throws(Failure) -> InputDiscovery.Listed? {
    guard names.contains(RunFiles.manifest) || names.contains(RunFiles.partial),
      let kind = try Manifest.kind(of: path, doing: doing, system: system)
    else { return nil }
    guard kind == .migration || kind == .redrive else {
      return .nothing("\(kind.article) of eventmill")
    }
    let manifest = try Manifest(path, kind: kind, doing: doing, system: system)
    let logs = manifest.files.map(\.path).filter { !ArchiveFiles.reserved.contains($0) }
    for log in logs where !isPlain(log) {
      throw Failure(
        .corrupt, doing: doing, path: "\(path)/\(ArchiveFiles.manifest)",
        why: "it lists \(log), which leads out of the directory",
        advice: "restore it from a copy, or migrate again")
    }
    return .logs(logs)
  }

  /// Whether a relative path stays below its directory.
  static func isPlain(_ path: String) -> Bool {
    !path.split(separator: "/", omittingEmptySubsequences: false).contains {
      $0.isEmpty || $0 == "." || $0 == ".."
    }
  }
}

extension InputDiscovery {
  /// The inputs of a job with these options, and the ignored files beside them.
  static func survey(
    _ options: ReadOptions, output: String? = nil, keepsGoing: Bool = false, _ control: JobControl
  ) throws(Failure) -> Survey {
    let survey = try surveyLogs(
      options.inputs, output: output, allowEmpty: options.allowEmpty,
      mayRepeat: options.mayRepeat, keepsGoing: keepsGoing, system: control.system)
    control.expect(survey.inputs)
    return survey
  }

  /// The inputs of a job with these options, which has no summary; a note names ignored files.
  static func inputs(
    _ options: ReadOptions, _ control: JobControl
  ) throws(Failure) -> [InputFile] {
    let survey = try survey(options, control)
    if survey.ignoredFiles.count > 0 { control.note("ignored \(survey.ignoredFiles.sentence())") }
    return survey.inputs
  }

  /// The inputs that `arguments` name, archives by their logs, and the ignored files beside them;
  /// see ``InputDiscovery/inputs(_:output:allowEmpty:listing:system:)``.
  static func surveyLogs(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    mayRepeat: Bool = false, keepsGoing: Bool = false, system: System = .real
  ) throws(Failure) -> Survey {
    try survey(
      arguments, output: output, allowEmpty: allowEmpty, mayRepeat: mayRepeat,
      keepsGoing: keepsGoing,
      listing: { path, names throws(Failure) in
        try ArchiveListing.logs(in: path, names, system)
      }, naming: { InputShape(of: $0).sentence }, system: system)
  }
}
