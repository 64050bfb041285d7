import Pipeline

/// Compares what lies in an output with what its manifest lists.
struct OutputListing {
  let output: String
  let manifest: ManifestFile

  /// How many parts profiles and state have; nil when the manifest does not say it, or says more
  /// than it lists files.
  var partitions: Int? {
    let number = manifest.options.first { $0.name == "partitions" }?.value.int
    return number.flatMap { 1...max(1, manifest.files.count) ~= $0 ? $0 : nil }
  }

  /// The files that an output of so many parts has, the unlisted ones aside.
  static func files(partitions: Int) -> [String] {
    [RunFiles.countsCSV, RunFiles.countsJSON, RunFiles.rejects, RunFiles.totals]
      + (0..<partitions).map { RunFiles.index($0, of: partitions) }
      + [RunFiles.profiles, RunFiles.state].flatMap { folder in
        (0..<partitions).map { RunFiles.part($0, of: partitions, in: folder) }
      }
  }

  /// Compares, and returns the listed files that are there.
  func check(_ problems: inout ProblemList) -> [WrittenFile] {
    guard let partitions else {
      problems.add(RunFiles.manifest, .unclearPartitions)
      return []
    }
    return FolderCheck(
      output: output, kind: .output, manifest: manifest,
      required: OutputListing.files(partitions: partitions).sorted(),
      folders: [RunFiles.profiles, RunFiles.state]
    ).check(&problems)
  }
}
