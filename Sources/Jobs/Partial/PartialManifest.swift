import Pipeline

/// What a partial run was made of and what it consists of: `manifest.json` beside its spills.
enum PartialManifest {
  /// Version of the layout of partials, and of their facts.
  static let formatVersion = 7

  /// Writes the file, with a list of all others in `staging`.
  ///
  /// - Throws: `io` when it cannot be written.
  static func write(
    _ facts: PartialFacts, tool: ToolVersion, options: RunOptions, findings: PrivacyFindings,
    to staging: StagedDirectory
  ) throws(Failure) {
    try Manifest.write(
      kind: "eventmill_partial", version: formatVersion, tool: tool, inputs: facts.outcomes,
      to: staging
    ) { json in json.object("options") { json in options.write(findings, to: &json) } }
  }
}
