import Pipeline
import Stages

/// The manifest of a step of a merge: `manifest.json` beside its files.
struct PartitionManifest {
  let tool: ToolVersion
  let options: RunOptions
  let erasures: Erasures
  /// The hashes of the state that the run continues.
  let previousState: [UInt64]
  /// A hash of the facts of all partials.
  let facts: UInt64

  /// Writes the file, with a list of all others in `staging`. Only one of the partitions lists the
  /// inputs.
  ///
  /// - Throws: `io` when it cannot be written.
  func write(
    _ inputs: [InputOutcome], selection: InputSelection?, to staging: StagedDirectory
  ) throws(Failure) {
    try Manifest.write(
      kind: "eventmill_partition", version: PartialFile.formatVersion, tool: tool,
      inputs: inputs, selection: selection, to: staging
    ) { json in
      json.object("options") { json in options.write(erasures, to: &json) }
      Manifest.write(previous: previousState, to: &json)
      json.member("facts", XXH64.text(facts))
    }
  }

  /// The common properties of all partitions of one run.
  struct Identity: Equatable {
    private let texts: [String]

    /// The identity of a partition with this manifest.
    init(_ manifest: ManifestFile) {
      texts =
        manifest.optionTexts + [manifest.tool.version, manifest.tool.zstd]
        + manifest.previousState.map { XXH64.text($0) } + [XXH64.text(manifest.facts ?? 0)]
    }

    /// The identity of a partition being made.
    init(_ manifest: PartitionManifest) {
      texts =
        RunOptions.texts { manifest.options.write(manifest.erasures, to: &$0) }
        + [manifest.tool.version, manifest.tool.zstd]
        + manifest.previousState.map { XXH64.text($0) } + [XXH64.text(manifest.facts)]
    }
  }
}
