/// A small file that appears complete or not at all.
package enum WholeFile {
  private static let doing = "writing"

  /// Makes the file `path` of `bytes`, which are that many lines, or replaces it: under a name of its
  /// own first, then by one rename.
  /// - Throws: `usage`, when there is something of that name that is no file; `io`.
  package static func write(
    _ bytes: borrowing ByteBuffer, to path: String, lines: Int, system: System = .real
  ) throws(Failure) {
    let kind = try System.explained(doing, path) { () throws(SystemError) in
      try system.entry(at: path).kind
    }
    guard kind == .missing || kind == .file else {
      throw Failure(
        .usage, doing: doing, path: path, why: "there is something of that name that is no file",
        advice: "name another file")
    }
    let draft = "\(path).saving-\(System.processID)"
    let descriptor = try System.explained("creating", draft) {
      () throws(SystemError) in try system.create(draft)
    }
    do throws(Failure) {
      let file = OutputFile(
        descriptor: descriptor, path: path, fullPath: draft, system: system)
      try file.append(bytes.view, lines: lines)
      _ = try file.finish()
      try System.explained(doing, path) { () throws(SystemError) in
        try system.move(draft, to: path)
      }
      // Only then does the name outlive a crash of the machine.
      let parent = try OutputPath(path).parent
      try System.explained("flushing the directory", parent) { () throws(SystemError) in
        try system.synchronize(directory: parent)
      }
    } catch {
      // What cannot be removed either is a file nobody asked for; the failure is what matters.
      try? system.removeFile(draft)
      throw error
    }
  }
}
