/// The folder of a ``StagedDirectory`` in which files are made. Any thread.
package struct StagedFolder: Sendable {
  package let path: String
  package let system: System
  /// The files made, with the properties of the finished ones; must be sorted before use.
  private let made = Locked<[String: WrittenFile?]>([:])

  /// Creates the file `name`, a path in the folder; its directories must exist. `isTemporary` is
  /// whether only this process reads it.
  package func create(_ name: String, isTemporary: Bool = false) throws(Failure) -> OutputFile {
    _ = path(of: name)
    let made = made
    let file = try OutputFile(
      path: name, in: path, isTemporary: isTemporary, system: system,
      whenFinished: { file in made.withLock { $0[name] = file } })
    made.withLock { _ = $0.updateValue(nil, forKey: name) }
    return file
  }

  /// Creates the file `name` with `bytes`, which are `lines` lines, in one step.
  @discardableResult
  package func write(
    _ bytes: ByteView, to name: String, lines: Int
  ) throws(Failure) -> WrittenFile {
    let file = try create(name)
    try file.append(bytes, lines: lines)
    return try file.finish()
  }

  @discardableResult
  package func write(
    _ text: borrowing ByteBuffer, to name: String, lines: Int = 1
  ) throws(Failure) -> WrittenFile { try write(text.view, to: name, lines: lines) }

  /// Links the finished file `path` to `name`, or moves it where hard links are not supported.
  package func add(_ path: String, as name: String) throws(Failure) {
    if try link(path, as: name) { return }
    try System.explained(Self.adding, path, system.move(path, to: self.path(of: name)))
  }

  /// Adds the finished file `file` of the directory `directory`, which keeps it: by a hard link, or
  /// by a copy where links are not supported or the directory is on another disk.
  /// - Throws: `io`; `corrupt`, when its length differs, or its bytes when they are copied.
  package func add(_ file: WrittenFile, of directory: String) throws(Failure) {
    let path = "\(directory)/\(file.path)"
    func changed(_ what: String) -> Failure {
      Failure(.corrupt, doing: Self.adding, path: path, why: "its \(what) changed")
    }
    guard try system.statusIfAny(of: path, doing: Self.adding)?.size == file.bytes else {
      throw changed("length has")
    }
    if try !link(path, as: file.path, mayCopy: true) {
      let source = try PositionedFile(path, doing: "copying", system: system)
      let target = try create(file.path)
      try source.read { piece throws(Failure) in try target.append(piece) }
      guard try target.finish().xxh64 == file.xxh64 else { throw changed("bytes have") }
    }
    made.withLock { $0[file.path] = file }
  }

  private static let adding = "putting into place"

  /// Links `path` to `name`; false where hard links are not supported or, if it `mayCopy`, to
  /// another disk.
  private func link(
    _ path: String, as name: String, mayCopy: Bool = false
  ) throws(Failure) -> Bool {
    do {
      try system.linkFile(path, as: self.path(of: name))
      return true
    } catch {
      if error.cannotLink || mayCopy && error.isOtherDisk { return false }
      throw error.failure(doing: Self.adding, path: path, .writing)
    }
  }

  /// The first of the unfinished files, by name, among those that `isMeant`.
  func firstUnfinished(where isMeant: (String) -> Bool) -> String? {
    made.withLock { made in made.filter { $0.value == nil && isMeant($0.key) }.keys.min() }
  }

  /// The finished files, unordered.
  package var written: [WrittenFile] { made.withLock { $0.values.compactMap { $0 } } }

  package var files: [String] { made.withLock { $0.keys.sortedByBytes } }

  /// The path of the file `name`. Traps unless it leads into the folder.
  func path(of name: String) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    precondition(
      !parts.contains("") && !parts.contains(".") && !parts.contains(".."),
      "a file of an output has a plain relative path")
    return "\(path)/\(name)"
  }
}
