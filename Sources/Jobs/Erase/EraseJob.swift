package import Pipeline
import Stages

/// Makes a copy of an output without some people (`eventmill erase`), from its state, not from
/// logs.
///
/// Profiles, state and index become those of a run that erases them; counts stay. Reject entries of
/// lines that name them lose the text. Manifest and report keep the inputs.
package struct EraseJob {
  private static let doing = "erasing from"

  private let source: String
  private let options: RunOptions
  private let tool: ToolVersion
  private let control: JobControl

  /// A job that writes a copy of the output `source` without the people in the request file of
  /// `options`; the other options are those of the output.
  package init(_ source: String, options: RunOptions, tool: ToolVersion, control: JobControl) {
    (self.source, self.options) = (source, options)
    (self.tool, self.control) = (tool, control)
  }

  /// Runs the job.
  /// - Throws: `usage`, for an invalid file of requests or a directory that is not an output;
  ///   `corrupt`, `io`; the failure that the job was cancelled with. Then nothing was published.
  package func run() throws(Failure) -> EraseSummary {
    guard let path = options.merge.erasureRequests else {
      preconditionFailure("the command line has made sure of requests")
    }
    control.plan([.merging, .publishing])
    let requests = try ErasureRequests(reading: path, system: control.system)
    try checkKind()
    let made = try ManifestFile(source, doing: Self.doing, system: control.system)
    var options = try options.taking(made, path: source)
    options.merge.previous = source
    let ((snapshot, redacted), warning) = try Publication.run(
      options.publish.output, existing: options.publish.existing, owner: .of(.output), control
    ) { [options] staging throws(Failure) in
      let snapshot = try publish(options, requests.erasures, to: staging)
      let redacted = try copyRejects(options, requests.erasures, to: staging)
      try writeManifest(to: staging)
      try writeReport(
        snapshot, requests,
        PersonSearch(requests.erasures, keys: options.read.rules.foreign.identityKeys), to: staging)
      return (snapshot, redacted)
    }
    return EraseSummary(
      requests: requests.requests.count,
      found: snapshot.erased.count, profiles: snapshot.profiles, redactedRejects: redacted,
      installationsLeft: snapshot.installationsLeft.sorted { $0.key < $1.key }.flatMap { left in
        left.value.sortedByBytes.map { (left.key, $0) }
      }, warning: warning)
  }

  /// Checks that it is the output of a run: only there data can be attributed to people.
  private func checkKind() throws(Failure) {
    let kind = try ManifestFile.kind(of: source, doing: Self.doing, system: control.system)
    let (what, advice): (String, String)
    switch kind {
    case .output, nil: return
    case .migration:
      (what, advice) = (
        "it contains the logs of a migration, and logs are not rewritten",
        "remove the logs that name them, or do not use the archive; a run with --erase suppresses "
          + "their data"
      )
    case .redrive:
      (what, advice) = (
        "it contains the accepted parts of a redrive",
        "merge it, remove it, and erase from the output"
      )
    case .rejected:
      (what, advice) = (
        "it contains the rejects of a run that published nothing", "remove it after reading it"
      )
    case .export:
      (what, advice) = (
        "it contains tables made from an output",
        "erase from the output, and export again with --replace"
      )
    case .partial, .optOuts, .partition:
      (what, advice) = (
        "it is one half of a run", "make partials with --erase, or erase from the finished output"
      )
    }
    throw Failure(.usage, doing: Self.doing, path: source, why: what, advice: advice)
  }

  private func publish(
    _ options: RunOptions, _ erasures: Erasures, to staging: StagedDirectory
  ) throws(Failure) -> PublishedSnapshot {
    let context = try MergeContext(options, shards: options.read.jobs, in: staging)
    let previous = try PreviousPhase(
      options: options, erasures: erasures, tool: tool, control: control,
      partitions: 0..<options.snapshot.partitions
    ).run(into: context)
    return try context.publishSnapshot(after: previous, options: options, to: staging, control)
  }

  // MARK: - Rejects

  /// Copies the rejects, without the text of lines that name an erased person. Returns their
  /// number.
  private func copyRejects(
    _ options: RunOptions, _ erasures: Erasures, to staging: StagedDirectory
  ) throws(Failure) -> Int {
    let file = try FrameFile(
      "\(source)/\(RunFiles.rejects)", doing: Self.doing, system: control.system)
    let reader = try FrameFileReader()
    let writer = try SeekableTextWriter(
      staging.folder.create(RunFiles.rejects), level: options.publish.level)
    let redaction = RejectRedaction(erasures, keys: options.read.rules.foreign.identityKeys)
    var text = ByteBuffer()
    for frame in file.frames.indices {
      try control.check()
      text.removeAll()
      try reader.decode(frame: frame, of: file, into: &text)
      var lines = LineCursor(bytes: text.view)
      while let line = lines.next() {
        guard line.upperBound < text.count,
          try redaction.write(text[line.lowerBound..<line.upperBound + 1], to: writer)
        else { throw file.file.damaged("a line is not a reject entry", frame: frame) }
      }
    }
    try writer.finish()
    return redaction.count
  }

  // MARK: - Manifest and report

  private func document(_ name: String) throws(Failure) -> JSONDocument {
    try JSONDocument(reading: "\(source)/\(name)", doing: Self.doing, system: control.system)
  }

  /// The original manifest, with the new files.
  private func writeManifest(to staging: StagedDirectory) throws(Failure) {
    let document = try document(RunFiles.manifest)
    let manifest = JSONWriter.document(.pretty) { json in
      for (name, value) in document.root.members where name != "outputs" {
        switch name {
        case "eventmill_output": json.member("eventmill_output", Manifest.formatVersion)
        case "tool": tool.writeVersions(to: &json)
        default: json.member(named: name, value)
        }
      }
      Manifest.write(outputs: staging.listed, to: &json)
    }
    try staging.folder.write(manifest.view, to: RunFiles.manifest, lines: 1)
  }

  /// The original report, with the new number of profiles, and what was erased; names that are ids
  /// are removed.
  private func writeReport(
    _ snapshot: PublishedSnapshot, _ requests: ErasureRequests, _ search: PersonSearch,
    to staging: StagedDirectory
  ) throws(Failure) {
    let document = try document(RunFiles.report)
    let report = JSONWriter.document(.pretty) { json in
      for (name, value) in document.root.members where name != "erasures" {
        switch name {
        case "profiles":
          json.member("profiles", snapshot.profiles)
          requests.write(snapshot, [:], to: &json)
        case "erased_straddling":
          json.member("erased_straddling", (value.count ?? 0) + snapshot.erasedStraddling)
        case "unknown_fields":
          let rest = ReportRedaction(search).text(ofUnknownFields: value)
          json.member(named: name, JSONText(rest.view))
        case "dialects", "rejects", "losses", "tracking":
          let rest = ReportRedaction(search).text(of: value)
          json.member(named: name, JSONText(rest.view))
        default: json.member(named: name, value)
        }
      }
    }
    try staging.folder.write(report.view, to: RunFiles.report, lines: 1)
  }
}

/// The result of erasing.
package struct EraseSummary: Sendable {
  /// Requests in the file.
  package let requests: Int
  /// Requests with any data to erase.
  package let found: Int
  /// Remaining profiles.
  package let profiles: Int
  /// Reject entries whose text was removed.
  package let redactedRejects: Int
  /// Installations that remain, linked to an erased person: number of the request, and id.
  package let installationsLeft: [(request: Int, id: String)]
  /// A problem after the output was published.
  package let warning: Failure?
}
