import Pipeline

/// A directory that is an archive, or the output of a redrive, means the logs in its manifest as
/// inputs: not its reports and rejects, although some have names like logs.
enum ArchiveListing {
  private static let doing = "looking for inputs at"

  /// The logs of the directory `path`, which contains `names`, relative to it; nil when it is
  /// neither an archive nor a redrive.
  ///
  /// - Throws: `corrupt`, when its manifest is damaged; `io`.
  static func logs(
    in path: String, _ names: [String], _ system: System
  ) throws(Failure) -> [String]? {
    guard names.contains(ArchiveFiles.manifest),
      let kind = try ManifestFile.kind(of: path, doing: doing, system: system),
      kind == .migration || kind == .redrive
    else { return nil }
    let manifest = try ManifestFile(path, kind: kind, doing: doing, system: system)
    let logs = manifest.files.map(\.path).filter { !ArchiveFiles.reserved.contains($0) }
    for log in logs where !isPlain(log) {
      throw Failure(
        .corrupt, doing: doing, path: "\(path)/\(ArchiveFiles.manifest)",
        why: "it lists \(log), which leads out of the directory",
        advice: "restore it from a copy, or migrate again")
    }
    return logs
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
    _ options: ReadOptions, output: String? = nil, _ control: JobControl
  ) throws(Failure) -> Survey {
    let survey = try surveyLogs(
      options.inputs, output: output, allowEmpty: options.allowEmpty,
      mayRepeat: options.mayRepeat, system: control.system)
    control.expect(survey.inputs)
    return survey
  }

  /// The inputs that `arguments` name, archives by their logs, and the ignored files beside them;
  /// see ``InputDiscovery/inputs(_:output:allowEmpty:listing:system:)``.
  static func surveyLogs(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    mayRepeat: Bool = false, system: System = .real
  ) throws(Failure) -> Survey {
    try survey(
      arguments, output: output, allowEmpty: allowEmpty, mayRepeat: mayRepeat,
      listing: { path, names throws(Failure) in
        try ArchiveListing.logs(in: path, names, system)
      }, system: system)
  }
}
