import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What stands under a name in the file system.
struct DirectoryEntry: Equatable {
  enum Kind { case missing, directory, file, link, other }

  let kind: Kind
  /// Permissions, with the set-id and sticky bits.
  let mode: UInt32
  let device: UInt64
  let inode: UInt64

  /// Whether both names stand for one file.
  func isSame(as other: DirectoryEntry) -> Bool {
    kind != .missing && device == other.device && inode == other.inode
  }
}

// MARK: - Looking

extension System {
  /// What stands under the name `path`. A symbolic link stands for itself, unless `following`.
  func entry(at path: String, following: Bool = false) throws(SystemError) -> DirectoryEntry {
    do {
      return DirectoryEntry(try rawStatus(of: path, following: following))
    } catch {
      // Behind a file there is nothing either.
      guard error.isMissing || error.code == ENOTDIR else { throw error }
      return DirectoryEntry(kind: .missing, mode: 0, device: 0, inode: 0)
    }
  }

  /// What an open file is.
  func entry(of descriptor: Int32) throws(SystemError) -> DirectoryEntry {
    DirectoryEntry(try rawStatus(of: descriptor))
  }

  /// The names in the directory `path` without `.` and `..`, sorted by bytes. Names that are not
  /// UTF-8 have U+FFFD in them.
  func names(in path: String) throws(SystemError) -> [String] {
    var names: [String] = []
    for name in try rawNames(in: try openDirectory(path)) {
      names.append(String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return names.sortedByBytes
  }

  /// The names in the directory `path`, without `.` and `..`, in no order.
  /// - Throws: `io`, when the directory cannot be read or a name is not UTF-8.
  package func names(in path: String, doing: String) throws(Failure) -> [String] {
    let raw: [[CChar]]
    do {
      raw = try rawNames(in: try openDirectory(path))
    } catch {
      throw error.failure(doing: doing, path: path)
    }
    var names: [String] = []
    for name in raw {
      let bytes = name.dropLast().map(UInt8.init(bitPattern:))
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
          .io, doing: doing, path: path,
          why: "it holds a file whose name is not UTF-8: \(String(decoding: bytes, as: UTF8.self))",
          advice: "rename that file")
      }
      names.append(text)
    }
    return names
  }
}

extension DirectoryEntry {
  fileprivate init(_ raw: stat) {
    self.init(
      kind: Kind(mode: raw.st_mode), mode: UInt32(raw.st_mode & 0o7777), device: UInt64(raw.st_dev),
      inode: UInt64(raw.st_ino))
  }
}

extension DirectoryEntry.Kind {
  /// What the permissions of a file say that it is.
  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFDIR: self = .directory
    case S_IFREG: self = .file
    case S_IFLNK: self = .link
    default: self = .other
    }
  }
}
