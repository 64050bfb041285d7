/// One input of a run: a file, or standard input.
package struct InputFile: Sendable, Equatable {
  /// The argument that means standard input.
  package static let standardInput = "-"
  package static let standardInputName = "standard input"

  /// The path as named, or the named directory's path followed by the path in it; `-` for stdin.
  package let path: String
  /// Length in bytes on disk; nil for a stream.
  package let size: Int?
  /// The named directory in which the file was found; nil for a file that was an argument.
  package let root: String?
  /// Whether the path from ``root`` to it contains a symbolic link.
  package let isLinked: Bool
  /// The position to begin reading, if an earlier run has read its beginning.
  package var start: InputStart?
  /// What it was when it was first read, if what follows depends on that: it must still be so.
  package var seen: FileStatus?

  /// The `path` without the suffix of a compression, which a log keeps when it is compressed.
  package static func stem(of path: String) -> FilePath {
    FilePath(path.utf8.dropLast(Compression.promise(of: path)?.suffix.utf8.count ?? 0))
  }

  package init(path: String, size: Int?, root: String? = nil, isLinked: Bool = false) {
    (self.path, self.size, self.root, self.isLinked) = (path, size, root, isLinked)
  }

  /// The path relative to ``root``; nil for a file that was an argument.
  package var pathInRoot: String? {
    guard let root else { return nil }
    return String(path.utf8.dropFirst(root.utf8.count).drop { $0 == UInt8(ascii: "/") })
  }

  package var isStandardInput: Bool { path == InputFile.standardInput }

  /// Whether it can be reopened by its path. Standard input cannot, even if it is a file.
  package var isReopenable: Bool { size != nil && !isStandardInput }

  /// Whether reading it waits for another program: for one that writes to a stream, or for one that
  /// decompresses it, as far as the name shows.
  package var waits: Bool { size == nil || Compression.promised(by: path)?.tool != nil }

  /// The name in messages.
  package var name: String { isStandardInput ? InputFile.standardInputName : path }
}

/// The path of a file or directory, by its bytes: two paths that are equal as characters may be two
/// files.
package struct FilePath: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init(_ path: String) { bytes = Array(path.utf8) }

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package static func < (a: FilePath, b: FilePath) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension String {
  /// Whether its bytes come before those of `other`.
  package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Sequence {
  /// The elements in the order of the bytes of a text of each.
  package func sorted(byBytesOf text: (Element) -> String) -> [Element] {
    sorted { text($0).precedes(text($1)) }
  }
}
