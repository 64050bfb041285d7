import Pipeline

/// Progress of a run on disk, so that an interrupted run can be continued (`--resume`): a directory
/// beside the output with a partial per group of inputs. Each is durable before the next group is
/// read.
///
/// ```
/// .OUT.resume/partial-1/ …         as `eventmill partial` makes them,
/// .OUT.resume/partial-1.json       and the states by which their inputs count as unchanged
/// ```
/// Used under the output's lock. Removed when the output is published.
struct Checkpoint {
  private static let doing = "resuming an interrupted run"
  /// Bytes of inputs on disk at which a group is full: an upper bound of what is read again, except
  /// for one large input.
  private static let groupBytes = 1 << 20

  /// The greatest number used; a run does not create names with greater ones.
  private static let mostNumber = 1 << 40

  /// The files of a partial, `#` for numbers; all but the first are of versions before 8.
  private static let ofPartial =
    [RunFiles.partial, RunFiles.manifest, RunFiles.facts, RunFiles.rejects]
    + ["\(RunFiles.state)/part-#-of-#.spill"]
    + RunFiles.templates.filter { $0.hasPrefix("\(RunFiles.work)/") }
  /// Every file of a checkpoint.
  private static let own = OwnFiles(
    [],
    templates: RunFiles.around("partial-#", ofPartial)
      + ["partial-#.json", "partial-#.json.saving-#"])

  private let path: String
  private let options: RunOptions
  private let findings: PrivacyFindings
  private let tool: ToolVersion
  private let control: JobControl

  /// Creates the checkpoint of runs into `output`.
  init(
    _ output: OutputPath, options: RunOptions, findings: PrivacyFindings, tool: ToolVersion,
    control: JobControl
  ) {
    path = output.checkpoint
    (self.options, self.findings) = (options, findings)
    (self.tool, self.control) = (tool, control)
  }

  /// The result of reading the inputs.
  struct Ingested {
    let partials: PartialSet
    /// Inputs that an earlier run had read.
    let resumed: Set<String>
    /// The times of reading the others, stage by stage.
    let times: FlowTimes
  }

  /// Removes everything.
  /// - Throws: `usage`, when it belongs to a migration or contains other files; `io`.
  func remove() throws(Failure) {
    try checkOwner()
    try control.system.remove(Self.own, from: path, doing: "removing the leftovers of a run,")
  }

  /// Reads those of `inputs` that an earlier run has not finished.
  ///
  /// - Throws: `usage`, when the earlier run had other options or was a migration; else as a run
  ///   does.
  func ingest(_ inputs: [InputFile]) throws(Failure) -> Ingested {
    try checkOwner()
    try control.system.require(Self.own, in: path, doing: Checkpoint.doing)
    try control.system.makeDirectories(path, doing: Checkpoint.doing)
    var (partials, last) = try finished(among: inputs)
    let resumed = Set(partials.flatMap(\.inputs))
    // By bytes: two inputs can differ and still be equal as characters.
    let known = Set(partials.flatMap { $0.inputs.map { Array($0.utf8) } })
    let rest = inputs.filter { !known.contains(Array($0.path.utf8)) }
    control.expect(rest)
    var times = FlowTimes()
    // Without inputs the merge still needs one, empty, partial.
    for group in Checkpoint.groups(rest, atLeastOne: partials.isEmpty) {
      last += 1
      partials.append(try read(group, into: last, &times))
    }
    return Ingested(partials: try PartialSet(partials), resumed: resumed, times: times)
  }

  /// The progress of a migration may be hours of work; a run must not remove it.
  private func checkOwner() throws(Failure) {
    let options = "\(path)/\(ArchiveCheckpoint.optionsFile)"
    guard try control.system.statusIfAny(of: options, doing: Checkpoint.doing) != nil
    else { return }
    throw Failure(
      .usage, doing: "looking for an earlier run in", path: path, why: "it belongs to a migration",
      advice: [
        "resume the migration with eventmill migrate --resume", "remove it", "name another --out",
      ])
  }

  private static func groups(_ inputs: [InputFile], atLeastOne: Bool) -> [[InputFile]] {
    var groups: [[InputFile]] = []
    var bytes = groupBytes
    for input in inputs {
      if bytes >= groupBytes {
        groups.append([])
        bytes = 0
      }
      groups[groups.count - 1].append(input)
      bytes += input.size ?? groupBytes
    }
    return groups.isEmpty && atLeastOne ? [[]] : groups
  }

  private func partialPath(_ number: Int) -> String { "\(path)/partial-\(number)" }

  /// Reads a group of inputs and makes the result durable.
  private func read(
    _ inputs: [InputFile], into number: Int, _ times: inout FlowTimes
  ) throws(Failure) -> PartialDirectory {
    // Before reading: a file that changes meanwhile fails the run.
    let states = try inputs.map { input throws(Failure) in try InputState(input, control.system) }
    let text = InputStates(inputs: states).text()
    try WholeFile.write(
      text, to: partialPath(number) + ".json", lines: 1, replacing: { _ in true },
      system: control.system)
    let staging = try StagedDirectory(
      partialPath(number), existing: .refuse, owner: .of(.partial), system: control.system)
    defer { staging.discard() }
    let written = try PartialWriter(
      options: options, findings: findings, tool: tool, control: control
    )
    .write(inputs, to: staging)
    try control.check()
    try staging.publish()
    times.add(written.times, publish: written.publish)
    return try PartialDirectory(partialPath(number), system: control.system)
  }

  // MARK: - Existing partials

  /// The partials whose inputs are all among `inputs` and unchanged, and the greatest number in
  /// use. Others are removed: their inputs are read again.
  private func finished(
    among inputs: [InputFile]
  ) throws(Failure) -> (partials: [PartialDirectory], last: Int) {
    let names = try control.system.names(in: path, doing: Checkpoint.doing)
    var partials: [PartialDirectory] = []
    var last = 0
    let known = Dictionary(inputs.map { (Array($0.path.utf8), $0) }) { first, _ in first }
    for name in names.sortedByBytes {
      guard name.hasPrefix("partial-"), let number = Int(name.dropFirst(8)),
        1..<Self.mostNumber ~= number, name == "partial-\(number)"
      else { continue }
      last = max(last, number)
      if let partial = try finished(number, among: known) {
        partials.append(partial)
      } else {
        try control.system.remove(
          OwnFiles([], templates: Self.ofPartial), from: partialPath(number),
          doing: Checkpoint.doing)
      }
    }
    return (partials, last)
  }

  private func finished(
    _ number: Int, among inputs: [[UInt8]: InputFile]
  ) throws(Failure) -> PartialDirectory? {
    let file = partialPath(number) + ".json"
    guard try control.system.statusIfAny(of: file, doing: Checkpoint.doing) != nil,
      let document = try JSONDocument.ifIntact(
        reading: file, doing: Checkpoint.doing, system: control.system),
      let states = InputStates(orNil: document.root)
    else { return nil }
    for state in states.inputs {
      guard let input = inputs[Array(state.path.utf8)],
        try state == InputState(input, control.system)
      else {
        return nil
      }
    }
    let partial: PartialDirectory
    do throws(Failure) {
      partial = try PartialDirectory(partialPath(number), system: control.system)
      try partial.checkParts()
    } catch {
      // A damaged partial is made again.
      if error.kind == .corrupt || error.kind == .usage { return nil }
      throw error
    }
    guard partial.manifest.tool == tool.versions,
      // An input that could not be read may be readable now.
      !partial.facts.outcomes.contains(where: \.isUnfinished),
      partial.facts.outcomes.map(\.file).allSatisfy({
        inputs[Array($0.path.utf8)]?.start == $0.start
      })
    else { return nil }
    let made = partial.manifest.options.texts
    let wanted = options.recorded(findings).texts
    guard made != wanted else { return partial }
    // Another input may contain an opt-out, and then other data is suppressed.
    guard Self.withoutConsents(made) == Self.withoutConsents(wanted), made.count == wanted.count
    else {
      throw Failure(
        .usage, doing: Checkpoint.doing, path: path,
        why: "that run had other options",
        advice: ["run with the same options", "run without --resume to start again"])
    }
    return nil
  }

  private static func withoutConsents(_ texts: [String]) -> [String] {
    texts.filter { !$0.hasPrefix("\(RunOptions.consentsOption)=") }
  }
}
