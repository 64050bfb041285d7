/// A small file that appears complete or not at all.
package enum WholeFile {
  private static let doing = "writing"
  /// Number of first bytes that decide whether a file may be replaced.
  private static let opening = 64

  /// Decides by its first bytes whether a file may be replaced.
  package typealias Ours = ([UInt8]) -> Bool

  /// Checks that the file `path` may be written, without changing anything.
  /// - Throws: `usage`, when the path is not a file or not one of ours, or has no directory; `io`.
  package static func check(_ path: String, isOurs: Ours, system: System = .real) throws(Failure) {
    let parent = try OutputPath(path).parent
    let above = try System.explained(doing, path, system.entry(at: parent, following: true))
    guard above?.kind == .directory else {
      throw refusal(
        path, "the directory \(parent) does not exist", "create it, or name another file")
    }
    guard let entry = try System.explained(doing, path, system.entry(at: path)) else { return }
    guard entry.kind == .regular else {
      throw refusal(path, "it is not a regular file", "name another file")
    }
    let descriptor = try Descriptor(reading: path, doing: doing, system: system)
    let beginning = try System.explained(
      doing, path, system.beginning(of: descriptor.number, limit: opening))
    guard beginning.isEmpty || isOurs(beginning) else {
      throw refusal(
        path, "it is a file that eventmill has not written",
        "name another file, or move it away")
    }
  }

  private static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, path: path, why: why, advice: advice)
  }

  /// Creates or replaces the file `path` by one rename; `bytes` are `lines` lines.
  /// - Throws: `usage`, as ``check(_:isOurs:system:)`` does; `io`.
  package static func write(
    _ bytes: borrowing ByteBuffer, to path: String, lines: Int, replacing isOurs: Ours,
    system: System = .real
  ) throws(Failure) {
    try check(path, isOurs: isOurs, system: system)
    let (draft, descriptor) = try createDraft(of: path, system)
    do throws(Failure) {
      let file = OutputFile(descriptor: descriptor, path: path, location: draft, system: system)
      try file.append(bytes.view, lines: lines)
      _ = try file.finish()
      // Checked again: another file may have been created there meanwhile.
      try check(path, isOurs: isOurs, system: system)
      try System.explained(doing, path, system.move(draft, to: path))
      // Without this the name may not survive a crash of the machine.
      try system.flush(OutputPath(path).parent)
    } catch {
      // A draft that remains is harmless; the original failure is reported.
      try? system.removeFile(draft)
      throw error
    }
  }

  /// Most names that are tried; a killed process may have left files.
  private static let mostDrafts = 100

  private static func createDraft(
    of path: String, _ system: System
  ) throws(Failure) -> (path: String, descriptor: Int32) {
    var tried = 0
    while true {
      // As long as the number of a process at most, because a file's name may not be longer.
      let draft = "\(path).saving-\(UInt32.random(in: 0...9_999_999))"
      do throws(SystemError) {
        return (draft, try system.create(draft))
      } catch {
        tried += 1
        guard error.isOccupied, tried < mostDrafts else {
          throw error.failure(doing: "creating", path: draft, .creating)
        }
      }
    }
  }
}
