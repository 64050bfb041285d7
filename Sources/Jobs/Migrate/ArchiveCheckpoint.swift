import Pipeline

/// The finished part of a migration, so that an interrupted one can be continued (`--resume`): a
/// directory beside the output, from which the files are published at the end.
///
/// ```
/// .OUT.resume/options.json          the options of the migration
/// .OUT.resume/log-1.ndjson.zst      the canonical log of an input
/// .OUT.resume/rejects-1.ndjson.zst  its rejects, if there are any
/// .OUT.resume/facts-1.json      what was read of it; written last: it marks the input as finished
/// ```
/// Used under the output's lock.
struct ArchiveCheckpoint {
  private static let doing = "resuming the migration in"
  private static let optionsFile = "options.json"
  /// Every file of a checkpoint, `#` for numbers.
  static let files =
    [optionsFile, "facts-#.json"].flatMap { [$0, "\($0).saving-#"] }
    + ["log-#.ndjson.zst", "rejects-#.ndjson.zst"]
  /// The greatest number used; a migration does not create names with greater ones.
  private static let mostNumber = 1 << 40
  private static let own = OwnFiles([], templates: files)

  let path: String
  private let options: RunOptions
  let control: JobControl

  private var system: System { control.system }

  /// The checkpoint of migrations into `output`.
  init(_ output: OutputPath, options: RunOptions, control: JobControl) {
    path = output.checkpoint
    (self.options, self.control) = (options, control)
  }

  /// The file names of input number `number`.
  static func log(_ number: Int) -> String { "log-\(number).ndjson.zst" }
  static func rejects(_ number: Int) -> String { "rejects-\(number).ndjson.zst" }
  private static func facts(_ number: Int) -> String { "facts-\(number).json" }

  func create(_ name: String) throws(Failure) -> OutputFile {
    try OutputFile(path: name, in: path, system: system)
  }

  /// Marks an input that can be read again as finished; its files are on disk. For any thread.
  func note(_ input: ArchivedInput) throws(Failure) {
    guard input.state.bytes != nil else { return }
    try WholeFile.write(
      input.text(), to: "\(path)/\(Self.facts(input.number))", lines: 1,
      replacing: { _ in true }, system: system)
  }

  /// The failure of a migration, with advice to resume if an input is finished.
  func advising(_ failure: Failure) -> Failure {
    // A defect is not repaired by resuming.
    guard failure.kind != .defect else { return failure }
    let names = Set((try? system.names(in: path, doing: Self.doing)) ?? [])
    // A log may have moved into the output.
    let count = names.count { name in
      Self.number(name).map { name == Self.facts($0) && names.contains(Self.log($0)) } ?? false
    }
    guard count > 0 else { return failure }
    let advice = "finished inputs are kept: \(count); continue with --resume"
    return failure.advising(
      failure.remedies.dropLast()
        + [(failure.remedies.suffix(1) + [advice]).joined(separator: "; ")])
  }

  /// Makes the next migration read the input again.
  func forget(_ input: ArchivedInput) throws(Failure) {
    try system.removeFile("\(path)/\(Self.facts(input.number))", doing: Self.doing)
  }

  func remove() throws(Failure) {
    try system.remove(Self.own, from: path, doing: "removing the leftovers of a migration,")
  }

  /// The finished part of an earlier migration.
  struct Finished {
    var inputs: [FilePath: ArchivedInput] = [:]
    var last = 0
  }

  /// Prepares the directory for a migration of inputs whose current states are `states`. With
  /// `--resume` finished inputs are kept; everything else is removed.
  func begin(_ states: [InputState]) throws(Failure) -> Finished {
    try system.require(Self.own, in: path, doing: Self.doing)
    let isThere = try system.statusIfAny(of: path, doing: Self.doing) != nil
    if isThere, options.publish.resumes, try isOurs() { return try finished(among: states) }
    if isThere {
      if !options.publish.resumes {
        control.note(
          "the unpublished files of an earlier migration are removed, and its inputs are read again; "
            + "--resume would have continued it")
      }
      try remove()
    }
    try system.makeDirectories(path, doing: Self.doing)
    try WholeFile.write(
      optionsText(), to: "\(path)/\(Self.optionsFile)", lines: 1, replacing: { _ in true },
      system: system)
    return Finished()
  }

  private func optionsText() -> ByteBuffer {
    JSONWriter.document { json in
      control.tool.versions.write("tool", to: &json)
      options.recorded(.logs).write("options", to: &json)
    }
  }

  /// Whether the directory is that of a migration with these options; false when that died before
  /// it wrote its options, or while it removed everything.
  private func isOurs() throws(Failure) -> Bool {
    let file = "\(path)/\(Self.optionsFile)"
    guard try system.statusIfAny(of: file, doing: Self.doing) != nil else { return false }
    let text = optionsText()
    guard let now = try? JSONDocument(text.view) else {
      preconditionFailure("options are written as JSON")
    }
    guard let then = try document(file) else { return false }
    if let difference = Self.difference(then.root, now.root) {
      throw refusal(
        difference,
        ["run with the same options and program", "run without --resume to start again"])
    }
    return true
  }

  private func refusal(_ why: String, _ advice: [String]) -> Failure {
    Failure(.usage, doing: Self.doing, path: path, why: why, advice: advice)
  }

  private static func difference(_ then: JSONValue, _ now: JSONValue) -> String? {
    for (group, dashes) in [("tool" as StaticString, ""), ("options", "--")] {
      func texts(_ document: JSONValue) -> [String: String] {
        Dictionary((document[group]?.members ?? []).map { ($0.name, $0.value.source) }) { $1 }
      }
      let (before, after) = (texts(then), texts(now))
      let names = [now, then].flatMap { ($0[group]?.members ?? []).map(\.name) }
      guard let name = names.first(where: { before[$0] != after[$0] }) else { continue }
      let option = dashes + name.replacing("_", with: dashes.isEmpty ? " " : "-")
      return "it had \(option) \(before[name] ?? "not set"), this one has \(after[name] ?? "not")"
    }
    return nil
  }

  /// The finished inputs that still match `states`. Files of others are removed, and those of
  /// inputs that could not be read to their ends, as they may be readable now.
  private func finished(among states: [InputState]) throws(Failure) -> Finished {
    let known = Dictionary(states.map { (FilePath($0.path), $0) }) { first, _ in first }
    let names = try system.names(in: path, doing: Self.doing)
    var finished = Finished()
    var kept: Set<String> = [Self.optionsFile]
    for name in names {
      guard let number = Self.number(name) else { continue }
      finished.last = max(finished.last, number)
      guard name == Self.facts(number), let input = try read(number), !input.isUnfinished,
        known[input.key] == input.state, finished.inputs[input.key] == nil,
        try isComplete(input.log), try input.rejects.map(isComplete) ?? true
      else { continue }
      finished.inputs[input.key] = input
      kept.formUnion([name, input.log.path])
      if let rejects = input.rejects { kept.insert(rejects.path) }
    }
    for name in names where !kept.contains(name) {
      try system.removeFile("\(path)/\(name)", doing: Self.doing)
    }
    return finished
  }

  /// The number in the name of a file; nil without one.
  private static func number(_ name: String) -> Int? {
    guard let dash = name.firstIndex(of: "-") else { return nil }
    let digits = name[name.index(after: dash)...].prefix { $0 != "." }
    return Int(digits).flatMap { 1..<mostNumber ~= $0 ? $0 : nil }
  }

  /// Reads what is known of input number `number`; nil when that is damaged.
  private func read(_ number: Int) throws(Failure) -> ArchivedInput? {
    let known = try document("\(path)/\(Self.facts(number))")?.root
    guard var input = ArchivedInput(orNil: known), input.log.path == Self.log(number),
      input.rejects.map({ $0.path == Self.rejects(number) }) ?? true
    else { return nil }
    (input.number, input.isResumed) = (number, true)
    return input
  }

  /// The document at `path`; nil when it is damaged.
  private func document(_ path: String) throws(Failure) -> JSONDocument? {
    try Failure.ifIntact(try JSONDocument(reading: path, doing: Self.doing, system: system))
  }

  /// Whether a file exists with its length. Its hash is compared when it is published.
  private func isComplete(_ file: WrittenFile) throws(Failure) -> Bool {
    let status = try system.statusIfAny(of: "\(path)/\(file.path)", doing: Self.doing)
    return status?.kind == .regular && status?.size == file.bytes
  }

  /// Checks that a file of an earlier migration still has the bytes that were written.
  /// - Throws: `io`, when it has not; then the next migration reads its input again.
  func check(_ file: WrittenFile, of input: ArchivedInput) throws(Failure) {
    guard input.isResumed else { return }
    let written = "\(path)/\(file.path)"
    let facts = try FileHash(of: written, doing: Self.doing) { _ throws(Failure) in
      try control.check()
    }
    guard facts.xxh64 != file.xxh64 || facts.bytes != file.bytes else { return }
    try forget(input)
    throw Failure(
      .io, doing: Self.doing, path: written, why: "it has changed since that migration",
      advice: "check the disk and run again with --resume: \(input.state.path) is read again",
      mayPass: true)
  }
}
