import Pipeline
import Stages

/// The sources and the contents of an output (`manifest.json`, docs/reference/file-formats.md).
///
/// Nothing in it depends on time, threads or the output's own path.
struct Manifest {
  /// Version of the layout of an output, and the only one that is read.
  static let formatVersion = 8

  let tool: ToolVersion
  let options: RunOptions
  /// Whose data was suppressed.
  var erasures = Erasures()
  let inputs: [InputOutcome]
  /// The inputs that earlier nights have read, and those that were skipped for that.
  let selection: InputSelection
  /// The states that this run continues, by their parts' hashes; empty for the first night.
  let previous: [UInt64]
  /// The files that it lists; nil: all that are in the directory.
  var files: [WrittenFile]?

  /// Writes the file, with a list of all others in `staging`.
  ///
  /// - Throws: `io` when it cannot be written, or would be too long to be read.
  func write(to staging: StagedDirectory) throws(Failure) {
    try Manifest.write(
      kind: "eventmill_output", version: Manifest.formatVersion, tool: tool, inputs: inputs,
      selection: selection, files: files, to: staging
    ) { json in
      json.object("options") { json in options.write(erasures, to: &json) }
      Manifest.write(previous: previous, to: &json)
    }
  }

  /// Appends `previous_state`, if there is one.
  static func write(previous: [UInt64], to json: inout JSONWriter) {
    guard !previous.isEmpty else { return }
    json.array("previous_state", of: previous.map(XXH64.text))
  }

  /// Writes the files of an output, with the fields that `details` writes for each.
  static func write(
    outputs files: [WrittenFile], to json: inout JSONWriter,
    details: (WrittenFile, inout JSONWriter) -> Void = { _, _ in }
  ) {
    let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    json.objects("outputs", of: sorted) { file, json in
      json.member("path", file.path)
      json.member("bytes", file.bytes)
      json.member("lines", file.lines)
      json.member("xxh64", XXH64.text(file.xxh64))
      details(file, &json)
    }
  }

  /// Writes a manifest: its kind and version, the program, what `members` writes, inputs, and
  /// outputs: `files`, or all in `staging`; for each output also what `details` writes.
  static func write(
    kind: StaticString, version: Int, tool: ToolVersion, inputs: [InputOutcome],
    selection: InputSelection? = nil, files: [WrittenFile]? = nil, to staging: StagedDirectory,
    details: (WrittenFile, inout JSONWriter) -> Void = { _, _ in },
    _ members: (inout JSONWriter) -> Void
  ) throws(Failure) {
    let json = JSONWriter.sealed { json in
      json.member(kind, version)
      tool.writeVersions(to: &json)
      members(&json)
      json.objects("inputs", of: inputs) { input, json in
        ManifestInput(input).write(to: &json)
        if input.lost != nil { json.member("lost", true) }
      }
      selection?.write(to: &json)
      write(outputs: files ?? staging.listed, to: &json, details: details)
    }
    try check(json)
    try staging.folder.write(json.view, to: RunFiles.manifest, lines: 1)
  }

  /// Checks that the manifest `text` can be read again.
  ///
  /// - Throws: `io`, when it is too long.
  static func check(_ text: borrowing ByteBuffer) throws(Failure) {
    guard text.count > JSONDocument.longest else { return }
    throw Failure(
      .io, doing: "writing", path: RunFiles.manifest,
      why: "its list of inputs has \(NumberFormat.count(text.count, "byte")); a run reads at most "
        + NumberFormat.grouped(JSONDocument.longest),
      advice: "put the logs into fewer files")
  }
}

extension InputSelection {
  /// Writes the skipped inputs, and those that earlier nights have read, as fields of the open
  /// object.
  fileprivate func write(to json: inout JSONWriter) {
    if !alreadyRead.isEmpty {
      json.objects("skipped", of: alreadyRead) { input, json in input.write(to: &json) }
    }
    if !earlier.inputs.isEmpty {
      json.objects("earlier_inputs", of: earlier.inputs) { input, json in input.write(to: &json) }
    }
  }
}
