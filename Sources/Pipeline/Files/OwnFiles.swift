/// The files of a directory that this program has made. Only these are ever removed or replaced.
package struct OwnFiles: Sendable {
  package enum Kind: Sendable { case file, folder }

  /// Why the directory must not be replaced, as the end of a sentence "it …"; nil when it may be.
  package var refusal: String?
  /// The file that identifies the directory; removed last.
  package var mark: String?
  /// By the bytes of their paths, because strings that are equal as characters may be two files.
  private var listed: [[UInt8]: Kind] = [:]
  private var templates: [[[UInt8]]] = []

  /// The files `paths`, relative to the directory, with their folders, and the files whose paths
  /// match one of `templates`, where `#` means one or more digits.
  package init(_ paths: some Sequence<String>, templates: [String] = []) {
    for path in paths {
      let bytes = Array(path.utf8)
      for cut in bytes.indices where bytes[cut] == Self.slash {
        listed[Array(bytes[..<cut])] = .folder
      }
      listed[bytes] = .file
    }
    self.templates = templates.map { Self.parts(Array($0.utf8)) }
  }

  package static func none(_ refusal: String) -> OwnFiles {
    var files = OwnFiles([])
    files.refusal = refusal
    return files
  }

  package mutating func add(_ others: OwnFiles) {
    listed.merge(others.listed) { own, _ in own }
    templates += others.templates
  }

  /// What this program makes at `path`, relative to the directory; nil for nothing.
  package func kind(of path: [UInt8]) -> Kind? {
    if let kind = listed[path] { return kind }
    guard !templates.isEmpty else { return nil }
    let parts = Self.parts(path)
    var kind: Kind?
    for template in templates
    where parts.count <= template.count && zip(parts, template).allSatisfy(Self.isLike) {
      if parts.count == template.count { return .file }
      kind = .folder
    }
    return kind
  }

  func isMark(_ path: [UInt8]) -> Bool { mark.map { path.elementsEqual($0.utf8) } ?? false }

  /// Moves the mark to the end of `names`, which are processed from the last to the first.
  func markLast(_ names: [[CChar]]) -> [[CChar]] {
    guard let mark else { return names }
    let name = Array(mark.utf8CString)
    return names.filter { $0 == name } + names.filter { $0 != name }
  }

  private static let slash = UInt8(ascii: "/")

  private static func parts(_ path: [UInt8]) -> [[UInt8]] {
    path.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
  }

  private static func isLike(_ name: [UInt8], _ template: [UInt8]) -> Bool {
    var rest = name[...]
    for byte in template {
      guard byte == UInt8(ascii: "#") else {
        guard rest.popFirst() == byte else { return false }
        continue
      }
      let digits = rest.prefix(while: Characters.isDigit)
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count)
    }
    return rest.isEmpty
  }
}

/// Files in an output directory that this program has not made: they are kept.
package struct Strangers: Sendable, Equatable {
  private static let mostNamed = 3

  /// Files and directories; the contents of a directory that is not ours do not count.
  package private(set) var count = 0
  /// The first of them by the bytes of their paths; directories end with a slash.
  package private(set) var first: [String] = []

  package var isEmpty: Bool { count == 0 }

  package init() {}

  package mutating func note(_ path: String) {
    count += 1
    first = Array((first + [path]).sortedByBytes.prefix(Self.mostNamed))
  }

  /// The names, as the end of a sentence "it holds …".
  package var text: String {
    let more = count - first.count
    return first.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

/// The ownership rules of a program for the directories that it publishes.
package struct Ownership: Sendable {
  /// The own files of the published directory at a path, if this command may replace it.
  let published: @Sendable (String, System) throws(Failure) -> OwnFiles
  /// The own files of a hidden directory, in which such a directory is made.
  let hidden: @Sendable (String, System) -> OwnFiles
  /// Whether the directory at a path is an output of any kind, in which no other must be made.
  let isOutput: @Sendable (String, System) throws(Failure) -> Bool

  package init(
    published: @escaping @Sendable (String, System) throws(Failure) -> OwnFiles,
    hidden: @escaping @Sendable (String, System) -> OwnFiles,
    isOutput: @escaping @Sendable (String, System) throws(Failure) -> Bool
  ) {
    (self.published, self.hidden, self.isOutput) = (published, hidden, isOutput)
  }
}
