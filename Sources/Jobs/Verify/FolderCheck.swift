import Pipeline

/// Compares what lies in a directory with the files that its manifest lists.
struct FolderCheck {
  /// The directory.
  let output: String
  /// Files that may lie there although they are not listed.
  let unlisted: [String]

  /// Looks for what is not among `listed`, paths as bytes. Only those of `folders` are entered, of
  /// which the directory itself is the empty one. Complexity: O(entries of the folders, sorted).
  func findOthers(
    than listed: Set<[UInt8]>, in folders: Set<[UInt8]>, _ problems: inout ProblemList
  ) {
    search("", listed: listed, folders: folders, &problems)
  }

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
      } else if !listed.contains(key), !unlisted.contains(path) {
        problems.add(path, .notListed)
      }
    }
  }

  /// Whether the listed file at `path` is there, and a file.
  func isFile(_ path: String, _ problems: inout ProblemList) -> Bool {
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
