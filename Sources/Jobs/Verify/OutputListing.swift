import Pipeline

/// Compares what lies in an output with what its manifest lists.
struct OutputListing {
  /// Files that the manifest does not list: itself, and what is different every time.
  private static let unlisted = [RunFiles.manifest, RunFiles.report, "report.html"]
  /// Folders with files of an output.
  private static let folders = ["", RunFiles.profiles, RunFiles.state]

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

  /// Compares, and returns the listed files that are there, by path.
  func check(_ problems: inout ProblemList) -> [String: WrittenFile] {
    guard let partitions else {
      problems.add(RunFiles.manifest, .unclearPartitions)
      return [:]
    }
    let expected = Set(OutputListing.files(partitions: partitions))
    var listed: [String: WrittenFile] = [:]
    for file in manifest.files {
      if !expected.contains(file.path) {
        problems.add(RunFiles.manifest, .listsForeignFile, file.path)
      } else if listed.updateValue(file, forKey: file.path) != nil {
        problems.add(RunFiles.manifest, .listsTwice, file.path)
      }
    }
    for path in expected.sorted() where listed[path] == nil {
      problems.add(RunFiles.manifest, .listsNot, path)
    }
    let check = FolderCheck(output: output, unlisted: Self.unlisted)
    check.findOthers(
      than: Set(listed.keys.map { Array($0.utf8) }),
      in: Set(Self.folders.map { Array($0.utf8) }), &problems)
    return listed.filter { check.isFile($0.key, &problems) }
  }
}
