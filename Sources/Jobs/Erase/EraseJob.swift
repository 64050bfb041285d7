package import Pipeline
import Stages

/// Makes copies of outputs without some people (`eventmill erase`), from their states, not from
/// logs.
///
/// Profiles, state and index become those of a run that erases them; counts stay. Reject entries of
/// lines that name them lose the text. Manifest and report keep the inputs.
package struct EraseJob {
  private static let doing = "erasing from"

  /// An output to copy, and the path of the copy.
  package typealias Target = (source: String, output: String)

  private let targets: [Target]
  /// Whether they are in a directory that is created if needed.
  private let isInFolder: Bool
  private let options: RunOptions
  private let isDryRun: Bool
  private let control: JobControl

  /// A job that writes `targets` without the people in the request file of `options`; the other
  /// options are those of the outputs. Copies `inFolder` are in one that is created if needed.
  /// With `isDryRun` they are prepared in the same way, and not published.
  package init(
    _ targets: [Target], inFolder: Bool = false, options: RunOptions, isDryRun: Bool = false,
    control: JobControl
  ) {
    (self.targets, isInFolder, self.options) = (targets, inFolder, options)
    (self.isDryRun, self.control) = (isDryRun, control)
  }

  /// Runs the job: prepares all copies, and only then gives them their names.
  /// - Throws: `usage`, for an invalid file of requests or a directory that is not an output;
  ///   `corrupt`, `io`; the failure that the job was cancelled with. Unless its advice names one
  ///   that was, no output was published.
  package func run() throws(Failure) -> EraseSummary {
    control.plan([.merging, .publishing])
    var requests = try requests(options)
    for target in targets { try checkKind(of: target.source) }
    var warnings: [Failure] = []
    let made = try publish(&requests, &warnings)
    return EraseSummary(
      requests: requests.requests.count,
      moment: requests.erasures.needsMoment ? options.merge.moment : nil, outputs: made,
      warnings: warnings)
  }

  /// Prepares all copies before any is published. Their directories come first, so that a refused
  /// output or too few descriptors end the job before the work.
  private func publish(
    _ requests: inout ErasureRequests, _ warnings: inout [Failure]
  ) throws(Failure) -> [ErasedOutput] {
    var stagings: [StagedDirectory] = []
    var directories: [String] = []
    // What was not published.
    defer {
      for staging in stagings { staging.discard() }
      control.system.removeEmpty(directories)
    }
    for target in targets {
      if isInFolder {
        let parent = try OutputPath(target.output).parent
        directories.insert(
          contentsOf: try control.system.makeDirectories(
            parent, doing: "creating the directory of the outputs"), at: 0)
      }
      let staging = try StagedDirectory(
        target.output, replaces: options.publish.replace, owner: .of(.output),
        hasSpares: stagings.isEmpty, system: control.system)
      stagings.append(staging)
      control.discardWhenAbandoned(staging)
    }
    var made: [ErasedOutput] = []
    for (target, staging) in zip(targets, stagings) {
      made.append(try make(target, in: staging, &requests))
    }
    if isDryRun { return made }
    try control.beginPublishing()
    // The newest night, from which the next one continues, comes first.
    var published: [String] = []
    for (target, staging) in zip(targets, stagings).reversed() {
      do throws(Failure) {
        if let warning = try staging.publish() { warnings.append(warning) }
      } catch {
        guard let first = published.first else { throw error }
        let others = published.count > 1 ? " and \(published.count - 1) more are" : " is"
        throw error.advising(
          error.remedies + ["run again with --replace: \(first)\(others) published already"])
      }
      published.append(target.output)
    }
    return made
  }

  /// Writes the copy of an output into `staging`.
  private func make(
    _ target: Target, in staging: StagedDirectory, _ requests: inout ErasureRequests
  ) throws(Failure) -> ErasedOutput {
    let source = control.system.settled(target.source)
    let made = try Manifest(source, doing: Self.doing, system: control.system)
    var options = try options.taking(made, path: source)
    options.merge.previous = source
    // What is a placeholder is an option of the output.
    if requests.placeholders != options.read.rules.placeholders {
      requests = try self.requests(options)
    }
    let keys = options.read.rules.foreign.identityKeys
    options.snapshot.watched = HotIDs(orNil: try report(of: source)["hot_ids"]) ?? HotIDs()
    let snapshot = try makeSnapshot(options, requests.erasures, in: staging)
    let redacted = try staging.redact(
      FrameFile("\(source)/\(RunFiles.rejects)", doing: Self.doing, system: control.system),
      naming: requests.erasures(with: snapshot.tally.devices), options, control)
    if !made.previousState.isEmpty {
      try staging.makeDirectory(RunFiles.changes)
      try Output(source, doing: Self.doing, system: control.system)
        .writeErasedChanges(to: staging.folder, level: options.publish.level, control)
    }
    var manifest = made.made(by: control.tool)
    if requests.erasures.needsMoment {
      manifest.erasedAt = options.merge.moment.map(Timestamp.text)
    }
    try manifest.write(to: staging)
    let outcomes = requests.outcomes(snapshot)
    try writeReport(
      of: (source, target.output), snapshot, outcomes, PersonSearch(requests.erasures, keys: keys),
      to: staging)
    // Another output may have been given its name, and then only a part of it may be of this one.
    guard try Manifest(source, doing: Self.doing, system: control.system).files == made.files else {
      throw Failure(
        .io, doing: Self.doing, path: target.source, why: "it was replaced meanwhile",
        advice: "run again", mayPass: true)
    }
    return ErasedOutput(
      source: target.source, output: target.output, outcomes: outcomes,
      profiles: snapshot.tally.lines,
      redactedRejects: redacted)
  }

  /// Checks that it is the output of a run: only there data can be attributed to people.
  private func checkKind(of source: String) throws(Failure) {
    let kind = try Manifest.kind(of: source, doing: Self.doing, system: control.system)
    guard let refusal = kind?.facts.unerasable else { return }
    throw Failure(.usage, doing: Self.doing, path: source, why: refusal.why, advice: refusal.advice)
  }

  private func requests(_ options: RunOptions) throws(Failure) -> ErasureRequests {
    guard let requests = try ErasurePhase(options: options, control: control).requests()
    else { preconditionFailure("the command line has made sure of requests") }
    return requests
  }

  private func makeSnapshot(
    _ options: RunOptions, _ erasures: Erasures, in staging: StagedDirectory
  ) throws(Failure) -> PublishedSnapshot {
    let context = try MergeContext(options, shards: options.read.jobs, in: staging)
    let previous = try PreviousPhase(options: options, erasures: erasures, control: control)
      .run(into: context)
    return try context.publishSnapshot(
      after: previous, options: options, isCopy: true, to: staging, control)
  }

  // MARK: - Report

  private func report(of source: String) throws(Failure) -> JSONValue {
    try JSONDocument(
      reading: "\(source)/\(RunFiles.report)", doing: Self.doing, system: control.system,
      repair: OutputKind.output.repair
    ).root
  }

  /// The original report, with the new number of profiles, and what was erased, and a page made
  /// from it; names that are ids are removed.
  private func writeReport(
    of target: Target, _ snapshot: PublishedSnapshot, _ outcomes: [ErasureOutcome],
    _ search: PersonSearch, to staging: StagedDirectory
  ) throws(Failure) {
    let original = try report(of: target.source)
    let origin = Report.origin
    let report = JSONWriter.sealed { json in
      for (name, value) in original.members where name != "erasures" {
        switch name {
        case "\(JSONDocument.sealName)": break
        case "run":
          // Later nights are compared with this one, and name it.
          json.object("run") { json in
            for (name, value) in value.members {
              if name == "night" {
                json.member("night", RunStamp.name(of: target.output))
              } else {
                json.member(name, value)
              }
            }
          }
        case "profiles":
          json.member("profiles", snapshot.tally.lines)
          ErasureRequests.write(outcomes, to: &json)
        case "hot_ids": snapshot.tally.watched.write("hot_ids", to: &json)
        case "erased_straddling":
          json.member("erased_straddling", (value.count ?? 0) + snapshot.tally.erasedStraddling)
        case _ where !origin[name].isOfLines: json.member(name, value)
        default:
          var rest = JSONWriter()
          search.redact(value, origin[name], to: &rest)
          json.member(name, JSONText(rest.bytes))
        }
      }
    }
    try staging.folder.write(report, to: RunFiles.report)
    guard let written = try? JSONDocument(report.view) else {
      preconditionFailure("a report is written as JSON")
    }
    let page = ErasedPage(report: written.root, tool: control.tool)
    try staging.folder.write(page.html(), to: RunFiles.page)
  }
}

package struct EraseSummary: Sendable {
  package let requests: Int
  /// The moment at which requests without a time were carried out, in milliseconds since 1970; nil
  /// where it does not matter.
  package let moment: Int?
  /// The copies, in the order of their sources.
  package let outputs: [ErasedOutput]
  /// Problems after the outputs were published.
  package let warnings: [Failure]

  /// The requests that matched nothing in any output.
  package var unknown: [ErasureRequests.Request] {
    (outputs.first?.outcomes ?? []).indices.compactMap { index in
      outputs.contains { $0.outcomes[index].isKnown } ? nil : outputs[0].outcomes[index].request
    }
  }
}

/// A copy of an output without the data of erased people.
package struct ErasedOutput: Sendable {
  package let source: String
  package let output: String
  package let outcomes: [ErasureOutcome]
  package let profiles: Int
  /// Reject entries whose text was removed.
  package let redactedRejects: Int

  package var found: Int { outcomes.count { $0.isKnown } }
}
