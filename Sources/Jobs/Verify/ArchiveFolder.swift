import Pipeline

/// Compares what lies in an archive, or in what a redrive left, with what its manifest lists.
struct ArchiveFolder {
  /// Files that the manifest does not list.
  private static let unlisted = [RunFiles.manifest, RunFiles.report]
  /// Longest path of a file, in bytes; no system takes longer ones.
  private static let longestPath = 4096

  let output: String
  let manifest: ManifestFile

  /// Compares, and returns the listed files that are there, in the order of their paths: `reports`,
  /// which are always listed, and `logs`.
  func check(
    reports: [String], logs: [String], _ problems: inout ProblemList
  ) -> [WrittenFile] {
    var listed: [[UInt8]: WrittenFile] = [:]
    let known = Set((reports + logs).map { Array($0.utf8) })
    for file in manifest.files {
      let key = Array(file.path.utf8)
      if !known.contains(key) {
        problems.add(RunFiles.manifest, .listsOtherThanLogs, file.path)
      } else if !Self.isPlace(file.path) {
        problems.add(RunFiles.manifest, .listsBadPath, file.path)
      } else if listed.updateValue(file, forKey: key) != nil {
        problems.add(RunFiles.manifest, .listsTwice, file.path)
      }
    }
    for path in reports where listed[Array(path.utf8)] == nil {
      problems.add(RunFiles.manifest, .listsNot, path)
    }
    var folders: Set<[UInt8]> = [[]]
    for file in listed.values { _ = ArchivePlan.folders(of: file.path, besides: &folders) }
    let check = FolderCheck(output: output, unlisted: Self.unlisted)
    check.findOthers(than: Set(listed.keys), in: folders, &problems)
    return listed.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
      .filter { check.isFile($0.path, &problems) }
  }

  private static func isPlace(_ path: String) -> Bool {
    path.utf8.count <= longestPath && ArchiveListing.isPlain(path) && !unlisted.contains(path)
  }
}
