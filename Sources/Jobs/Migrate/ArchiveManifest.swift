import Pipeline

/// The sources and the contents of an archive: its `manifest.json`.
///
/// Nothing in it depends on time, threads or the archive's own path.
enum ArchiveManifest {
  /// Version of the layout of an archive.
  static let formatVersion = 2

  /// Writes the file. `logs` are the archive's logs in the order of `inputs`, their sources, and
  /// `ledgers` those of the inputs; `staging` has its other files.
  ///
  /// - Throws: `io` when it cannot be written, or would be too long to be read.
  static func write(
    tool: ToolVersion, options: RunOptions, inputs: [InputOutcome], ledgers: [Ledger],
    logs: [WrittenFile], to staging: StagedDirectory
  ) throws(Failure) {
    var sources: [[UInt8]: Int] = [:]
    for (index, log) in logs.enumerated() { sources[Array(log.path.utf8)] = index }
    try Manifest.write(
      kind: "eventmill_migration", version: formatVersion, tool: tool, inputs: inputs,
      files: logs + staging.listed, to: staging,
      details: { file, json in
        guard let index = sources[Array(file.path.utf8)] else { return }
        json.member("source", inputs[index].file.path)
        ledgers[index].write("ledger", to: &json)
      }
    ) { json in json.object("options") { json in options.write(.logs, to: &json) } }
  }
}
