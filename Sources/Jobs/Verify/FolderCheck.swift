import Pipeline

/// Compares the files in a directory with those that its manifest lists.
struct FolderCheck {
  /// Longest path of a file, in bytes; no system supports longer ones.
  private static let longestPath = 4096

  /// The directory.
  let output: String
  /// Its kind, and its manifest.
  let kind: OutputKind
  let manifest: Manifest
  /// The files that are always listed.
  let required: [String]
  /// Optional files.
  var optional: [String] = []
  /// Folders that belong to the output even if no file in them is listed.
  var folders: [String] = []

  /// Compares, and returns the listed files that exist, in path order. Complexity: O(entries of the
  /// folders, sorted).
  func check(_ problems: inout ProblemList) -> [WrittenFile] {
    // By bytes: two paths can differ and still be equal as characters.
    var listed: [[UInt8]: WrittenFile] = [:]
    let known = Set((required + optional).map { Array($0.utf8) })
    for file in manifest.files {
      let key = Array(file.path.utf8)
      if !known.contains(key) {
        let code: ProblemCode = kind == .output ? .listsForeignFile : .listsOtherThanLogs
        problems.add(RunFiles.manifest, code, file.path)
      } else if !isRelativePath(file.path) {
        problems.add(RunFiles.manifest, .listsBadPath, file.path)
      } else if listed.updateValue(file, forKey: key) != nil {
        problems.add(RunFiles.manifest, .listsTwice, file.path)
      }
    }
    for path in required where listed[Array(path.utf8)] == nil {
      problems.add(RunFiles.manifest, .listsNot, path)
    }
    var entered = Set(([""] + folders).map { Array($0.utf8) })
    for file in listed.values { _ = ArchivePlan.folders(of: file.path, besides: &entered) }
    search("", listed: Set(listed.keys), folders: entered, &problems)
    return listed.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
      .filter { isFile($0.path, &problems) }
  }

  private func isRelativePath(_ path: String) -> Bool {
    path.utf8.count <= Self.longestPath && ArchiveListing.isPlain(path)
      && !kind.beside.contains(path)
  }

  /// Finds files that are not among `listed`, paths as bytes. Only `folders` are entered.
  private func search(
    _ folder: String, listed: Set<[UInt8]>, folders: Set<[UInt8]>, _ problems: inout ProblemList
  ) {
    let names: [String]
    do throws(Failure) {
      names = try System.real.names(
        in: folder.isEmpty ? output : "\(output)/\(folder)", doing: FrameWalk.doing)
    } catch {
      return problems.add(folder.isEmpty ? "." : folder, .unreadableDocument, error.why)
    }
    for name in names.sortedByBytes {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      let key = Array(path.utf8)
      if folders.contains(key) {
        search(path, listed: listed, folders: folders, &problems)
      } else if !listed.contains(key), !kind.beside.contains(path) {
        problems.add(path, .notListed)
      }
    }
  }

  /// Whether the listed file at `path` exists, and is a file.
  private func isFile(_ path: String, _ problems: inout ProblemList) -> Bool {
    do throws(Failure) {
      let status = try System.real.status(of: "\(output)/\(path)", doing: FrameWalk.doing)
      if status.kind == .regular { return true }
      problems.add(path, .notAFile)
    } catch {
      problems.add(path, .listedButUnreadable, error.why)
    }
    return false
  }
}
