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
        problems.add(RunFiles.manifest, "it lists \(file.path), which is neither log nor report")
      } else if !Self.isPlace(file.path) {
        problems.add(RunFiles.manifest, "it lists \(file.path), which is no place for a file")
      } else if listed.updateValue(file, forKey: key) != nil {
        problems.add(RunFiles.manifest, "it lists \(file.path) twice")
      }
    }
    for path in reports where listed[Array(path.utf8)] == nil {
      problems.add(RunFiles.manifest, "it does not list \(path)")
    }
    var folders: Set<[UInt8]> = [[]]
    for file in listed.values {
      for folder in ArchivePlan.folders(of: file.path) { folders.insert(Array(folder.utf8)) }
    }
    checkFolder("", folders: folders, listed: listed, &problems)
    return listed.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
      .filter { isFile($0.path, &problems) }
  }

  private static func isPlace(_ path: String) -> Bool {
    path.utf8.count <= longestPath && ArchiveListing.isPlain(path) && !unlisted.contains(path)
  }

  /// Looks for what is not listed. Folders without a listed file below them are not entered.
  private func checkFolder(
    _ folder: String, folders: Set<[UInt8]>, listed: [[UInt8]: WrittenFile],
    _ problems: inout ProblemList
  ) {
    let names: [String]
    do throws(Failure) {
      names = try System.real.names(
        in: folder.isEmpty ? output : "\(output)/\(folder)", doing: FrameWalk.doing)
    } catch {
      return problems.add(folder.isEmpty ? "." : folder, error.why)
    }
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      let key = Array(path.utf8)
      if folders.contains(key) {
        checkFolder(path, folders: folders, listed: listed, &problems)
      } else if listed[key] == nil, !Self.unlisted.contains(path) {
        problems.add(path, "the manifest does not list it")
      }
    }
  }

  private func isFile(_ path: String, _ problems: inout ProblemList) -> Bool {
    do throws(Failure) {
      let status = try System.real.status(of: "\(output)/\(path)", doing: FrameWalk.doing)
      if status.kind == .regular { return true }
      problems.add(path, "it is no file")
    } catch {
      problems.add(path, "it is listed, but cannot be read: \(error.why)")
    }
    return false
  }
}
