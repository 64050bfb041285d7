import Pipeline

/// Makes the output of a job in a directory beside it, which replaces it when it is complete.
enum Publication {
  /// Calls `make` to write the output of `options`, and publishes the result unless it `isDry`.
  /// When the job fails, is cancelled or dies before that, nothing of the output remains; a failure
  /// is passed through `advising` once `make` has begun.
  /// - Returns: the result of `make`, and a problem after the output was published.
  static func run<Made>(
    _ options: PublishOptions, as owner: Ownership, _ control: JobControl, isDry: Bool = false,
    advising: (Failure) -> Failure = { $0 }, _ make: (StagedDirectory) throws(Failure) -> Made
  ) throws(Failure) -> (made: Made, warning: Failure?) {
    let staging = try StagedDirectory(
      options.output, replaces: options.replace, owner: owner, attempt: options.attempt,
      system: control.system)
    defer { staging.discard() }
    control.discardWhenAbandoned(staging)
    do throws(Failure) {
      let made = try make(staging)
      if isDry { return (made, nil) }
      try control.beginPublishing()
      guard options.acceptsSame else { return (made, try staging.publish()) }
      return (made, try publish(staging, unlessSameIsAt: options.output, control))
    } catch { throw advising(error) }
  }

  /// Publishes the directory, unless another attempt has published the same.
  private static func publish(
    _ staging: StagedDirectory, unlessSameIsAt path: String, _ control: JobControl
  ) throws(Failure) -> Failure? {
    let system = control.system
    guard let made = Manifest.identity(of: staging.folder.path, system) else {
      return try staging.publish()
    }
    do throws(Failure) {
      if Manifest.identity(of: path, system) != made { return try staging.publish() }
    } catch {
      // It may have been created in this moment.
      guard error.kind == .usage, Manifest.identity(of: path, system) == made else { throw error }
    }
    control.note("\(path) is left unchanged: another attempt has published the same")
    return nil
  }
}

extension StagedDirectory {
  /// The finished files that a manifest lists.
  var listed: [WrittenFile] {
    folder.written.filter {
      !$0.path.hasPrefix("\(RunFiles.work)/") && !RunFiles.unlisted.contains($0.path)
    }
  }
}

/// The rejects and reports of a job with too many rejects, in a directory beside the output.
struct RejectedOutput {
  private static let owner = Ownership.of(.rejected)

  private let staging: StagedDirectory
  private let files = [RunFiles.rejects, RunFiles.manifest] + RunFiles.reports

  /// Checks before the work begins that they can be published, if `options` have a limit.
  init(_ staging: StagedDirectory, _ options: ReadOptions, _ system: System) throws(Failure) {
    self.staging = staging
    guard options.maxRejects != nil else { return }
    try StagedDirectory.check(
      staging.output.beside(name), replaces: true, owner: Self.owner, system: system)
  }

  private var name: String { staging.output.name + ".rejected" }

  /// Ends a job with more rejects than its options allow: only these files are kept.
  func refuse(_ report: RunReport, _ control: JobControl) throws(Failure) {
    guard let excess = report.ingest.excess(of: report.options.read) else { return }
    var report = report
    (report.files, report.refusal) = ([report.ingest.rejects], excess.why)
    try report.checkLedger()
    try report.write(to: staging)
    let failure = try publish(report.ingest, excess, control)
    control.report(rejected: report.ended())
    throw failure
  }

  /// Publishes them, and returns the failure to end with instead of `excess`.
  func publish(
    _ ingest: IngestOutcome, _ excess: Failure, _ control: JobControl
  ) throws(Failure) -> Failure {
    try Manifest(.rejected, by: control.tool, inputs: ingest.outcomes)
      .write(listing: [ManifestOutput(file: ingest.rejects)], to: staging)
    try control.beginPublishing()
    try staging.publish(only: files, as: name, owner: Self.owner)
    return Failure(
      .rejects, doing: excess.doing, path: staging.output.beside(name), why: excess.why,
      advice: [
        "nothing was published; inspect the rejects and the report there", "raise --max-rejects",
      ])
  }
}

/// Whether the output of a job is already published (`--if-same`).
extension Manifest {
  /// Whether it has the same options, state before, facts and program as `expected`.
  func isMade(like expected: Manifest) -> Bool {
    identity(withInputs: false) == expected.identity(withInputs: false)
  }

  /// The same of the output that `options` would replace or refuse; a note says what differs.
  func isMade(
    like expected: Manifest, at options: PublishOptions, _ control: JobControl
  ) -> Bool {
    if isMade(like: expected) { return true }
    let differing = Set(self.options.texts).symmetricDifference(expected.options.texts)
    let names =
      differing.map { text in "options.\(text.prefix { $0 != "=" })" }
      + (tool == expected.tool ? [] : ["tool"])
      + (previousState == expected.previousState ? [] : ["previous_state"])
    control.noteDifferent(options, in: Set(names).sorted())
    return false
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

extension JobControl {
  /// Removes what dead runs left beside a finished output; a failure becomes a warning.
  func clearLeftovers(of publish: PublishOptions, _ kind: OutputKind) {
    do throws(Failure) {
      try StagedDirectory.clear(publish.output, attempt: publish.attempt, .of(kind), system)
    } catch { warn(error) }
  }

  /// Says which fields of the manifest are why an output is not the same (`--if-same`).
  fileprivate func noteDifferent(_ options: PublishOptions, in fields: [String]) {
    if options.replace { return }
    note("\(options.output) differs in \(fields.joined(separator: ", "))")
  }
}

extension RunOptions {
  /// Whether the inputs to find are exactly those that a job has read to their ends, and those that
  /// it skipped, so that its output of that kind is finished; else a note says so. Files are read
  /// only when all paths and lengths match.
  func findsAgain(
    _ inputs: [ManifestInput], _ alreadyRead: [AlreadyRead], after previous: Manifest?,
    _ kind: OutputKind, _ control: JobControl
  ) throws(Failure) -> Bool {
    let isSame = try isFound(inputs, alreadyRead, after: previous, control)
    if isSame {
      control.clearLeftovers(of: publish, kind)
    } else {
      control.noteDifferent(publish, in: ["inputs"])
    }
    return isSame
  }

  private func isFound(
    _ inputs: [ManifestInput], _ alreadyRead: [AlreadyRead], after previous: Manifest?,
    _ control: JobControl
  ) throws(Failure) -> Bool {
    let found = try InputDiscovery.survey(read, output: publish.output, control).inputs
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
      found, previous: previous, reingest: merge.reingest, control: control)
    return selection.alreadyRead == alreadyRead && selection.changed.isEmpty
      && selection.inputs.allSatisfy { $0.start == starts[FilePath($0.path)] }
  }
}

extension Manifest {
  /// The identity of the contents of the directory `path`: of equal inputs, options, state before
  /// and program. Nil for anything else.
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
