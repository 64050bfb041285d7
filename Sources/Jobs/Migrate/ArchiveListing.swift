import Pipeline
import Stages

/// What directories that this program has published mean as inputs: an archive and the output of a
/// redrive the logs in their manifests, not their reports and rejects, although some have names
/// like logs; any other output nothing.
enum ArchiveListing {
  private static let doing = "looking for inputs at"

  /// What the directory `path`, which contains `names`, means; nil when it is not such a directory.
  static func logs(
    in path: String, _ names: [String], _ system: System
  ) throws(Failure) -> InputDiscovery.Listed? {
    let mayBeListed = names.contains(RunFiles.manifest) || names.contains(RunFiles.partial)
    guard mayBeListed, let kind = try Manifest.kind(of: path, doing: doing, system: system) else {
      return Manifest.unlistedKind(of: names).map {
        .nothing("\($0.article) of eventmill without its manifest")
      }
    }
    guard kind == .migration || kind == .redrive else {
      return .nothing("\(kind.article) of eventmill")
    }
    let manifest = try Manifest(path, kind: kind, doing: doing, system: system)
    let logs = manifest.files.map(\.path).filter { !RunFiles.ofArchive.contains($0) }
    for log in logs where !isPlain(log) {
      throw Failure(
        .corrupt, doing: doing, path: "\(path)/\(RunFiles.manifest)",
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
      mayRepeat: options.mayRepeat, keepsGoing: keepsGoing, rules: options.recognition,
      system: control.system)
    control.expect(survey.inputs)
    return survey
  }

  /// The inputs of a job with these options, which has no summary; a note names ignored files.
  static func inputs(_ options: ReadOptions, _ control: JobControl) throws(Failure) -> [InputFile] {
    let survey = try survey(options, control)
    if survey.ignoredFiles.count > 0 { control.note("ignored \(survey.ignoredFiles.sentence())") }
    return survey.inputs
  }

  /// The inputs that `arguments` name, archives by their logs, and the ignored files beside them
  /// (``InputDiscovery``). With `rules` stray files are ignored (``StrayFile``).
  static func surveyLogs(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    mayRepeat: Bool = false, keepsGoing: Bool = false, rules: Rules? = nil, system: System = .real
  ) throws(Failure) -> Survey {
    try survey(
      arguments, output: output, allowEmpty: allowEmpty, mayRepeat: mayRepeat,
      keepsGoing: keepsGoing,
      listing: { path, names throws(Failure) in
        try ArchiveListing.logs(in: path, names, system)
      }, naming: { InputShape(of: $0).sentence },
      strays: { text, isDocument in
        rules.flatMap { StrayFile.sentence(text, isDocument: isDocument, $0) }
      }, system: system)
  }
}

extension IgnoredFiles {
  /// Those listed that may be logs, in a form that is not read.
  var likelyLogs: [File] { files.filter(InputShape.mayBeLog) }
}

/// Short files in directories of logs: one line, or a document, that is not a record.
enum StrayFile {
  private static let advice = "if it is a log, name it explicitly to see what is wrong with it"

  /// What a line is if it is not a record, or nearly one; what a document is if it would not be
  /// accepted as a record in one line. Nil for a log.
  ///
  /// Complexity: O(bytes).
  static func sentence(_ text: ByteView, isDocument: Bool, _ rules: Rules) -> String? {
    let unit = WorkUnit.read(text, by: rules)
    guard isDocument else {
      return LogGuard.shape(of: unit).map { _ in "JSON objects of an unknown format; \(advice)" }
    }
    let batch = unit.batch
    let isRecord =
      batch.records.indices.contains { batch.records[$0].isLinkOnly }
      || batch.events.indices.contains { batch.events[$0].outcome != .rejected }
      || batch.operations.indices.contains { !batch.operations[$0].isRefused }
    return isRecord ? nil : "a JSON document; \(advice)"
  }
}
