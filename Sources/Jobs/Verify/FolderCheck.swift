import Pipeline

extension VerifiedFiles {
  /// Longest path of a file, in bytes; no system supports longer ones.
  private static let longestPath = 4096

  /// Compares the files in the directory with those that its manifest lists, `required` and perhaps
  /// `optional` ones, and registers those that exist. `folders` belong to the output even if no
  /// file in them is listed. Complexity: O(entries of the folders, sorted).
  mutating func list(
    _ manifest: Manifest, _ required: [String], optional: [String] = [], folders: [String] = []
  ) {
    var listed: [FilePath: WrittenFile] = [:]
    let known = Set((required + optional).map { FilePath($0) })
    for file in manifest.files {
      let key = FilePath(file.path)
      if !known.contains(key) {
        let code: ProblemCode = manifest.kind == .output ? .listsForeignFile : .listsOtherThanLogs
        problems.add(RunFiles.manifest, code, file.path)
      } else if file.path.utf8.count > Self.longestPath || !ArchiveListing.isPlain(file.path)
        || manifest.kind.beside.contains(file.path)
      {
        problems.add(RunFiles.manifest, .listsBadPath, file.path)
      } else if listed.updateValue(file, forKey: key) != nil {
        problems.add(RunFiles.manifest, .listsTwice, file.path)
      }
    }
    for path in required where listed[FilePath(path)] == nil {
      problems.add(RunFiles.manifest, .listsNot, path)
    }
    var entered = Set(([""] + folders).map { FilePath($0) })
    for file in listed.values { _ = ArchivePlan.folders(of: file.path, besides: &entered) }
    search("", listed: Set(listed.keys), folders: entered, manifest.kind)
    expect(listed.values.sorted(byBytesOf: \.path).filter { isFile($0.path) })
  }

  /// Finds files that are not among `listed`. Only `folders` are entered.
  private mutating func search(
    _ folder: String, listed: Set<FilePath>, folders: Set<FilePath>, _ kind: OutputKind
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
      let key = FilePath(path)
      if folders.contains(key) {
        search(path, listed: listed, folders: folders, kind)
      } else if !listed.contains(key), !kind.beside.contains(path) {
        problems.add(path, .notListed)
      }
    }
  }

  /// Checks that there is a page. Its content is not listed, because it has times.
  mutating func checkPage() { _ = isFile(RunFiles.page, isListed: false) }

  private mutating func isFile(_ path: String, isListed: Bool = true) -> Bool {
    do throws(Failure) {
      let status = try System.real.status(of: "\(output)/\(path)", doing: FrameWalk.doing)
      if status.kind == .regular, isListed || status.size > 0 { return true }
      problems.add(path, status.kind == .regular ? .empty : .notAFile)
    } catch {
      problems.add(path, isListed ? .listedButUnreadable : .unreadable, error.why)
    }
    return false
  }
}
