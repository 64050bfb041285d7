/// Excludes other runs from one output directory, by a lock file beside it. The lock is the
/// system's (`flock`) and ends with its process; the file of a dead process is taken over. The file
/// holds the owner's process id, for the message. One thread at a time.
package final class DirectoryLock {
  /// Number of attempts when the lock file is removed at the same time.
  private static let attempts = 100
  /// Bytes read from the lock file; a process id is shorter.
  private static let ownerLength = 32

  private let output: OutputPath
  private let system: System
  private var descriptor: Descriptor?

  private var path: String { output.lock }

  /// Locks `output`.
  /// - Throws: `locked`, when another process has it; `io`, when the lock file cannot be made.
  package init(_ output: OutputPath, system: System = .real) throws(Failure) {
    (self.output, self.system) = (output, system)
    for _ in 0..<DirectoryLock.attempts {
      descriptor = try acquire()
      if descriptor != nil { return }
    }
    throw busy(owner: [])
  }

  deinit { release() }

  /// Why `output` cannot be locked: another process has it. Nil if none has. Locks nothing, so that
  /// no run fails for that.
  package static func holder(of output: OutputPath, _ system: System = .real) -> String? {
    guard let lock = try? system.statusIfAny(of: output.lock, doing: "reading the locks"),
      let locks = System.text(of: "/proc/locks", atMost: 1 << 20)
    else { return nil }
    // 1: FLOCK  ADVISORY  WRITE 1234 fd:01:131076 0 EOF
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", lock.identity.isListed(as: words[5])
      else { continue }
      // In another container it has no number here.
      return holder(words[4] == "0" ? [] : Array(words[4].utf8))
    }
    return nil
  }

  private static func holder(_ owner: [UInt8]) -> String {
    let digits = String(decoding: owner.prefix(while: Characters.isDigit), as: UTF8.self)
    return digits.isEmpty
      ? "another run is writing it" : "another run, process \(digits), is writing it"
  }

  /// Releases the lock and removes its file. Idempotent.
  package func release() {
    guard let descriptor = descriptor.take() else { return }
    // The name is removed while the lock is held, so it is this lock's own file. A remaining file
    // is harmless: the next run takes it over.
    if (try? isNamed(descriptor.number)) == true { try? system.removeFile(path) }
    system.unlock(descriptor.number)
  }

  /// The locked file; nil when it lost its name before it was locked.
  private func acquire() throws(Failure) -> Descriptor? {
    // Opening a device may have side effects.
    let doing = "creating the lock"
    let entry = try System.explained(doing, path, for: .creating, system.entry(at: path))
    guard entry == nil || entry?.kind == .regular else { throw strange }
    let descriptor = Descriptor(
      owning: try System.explained(doing, path, for: .creating, system.openLock(path)),
      system: system)
    let file = descriptor.number
    guard try System.explained("locking", path, system.lock(file)) else {
      throw busy(owner: (try? system.beginning(of: file, limit: Self.ownerLength)) ?? [])
    }
    guard try System.explained("locking", path, isLock(file)) else { throw strange }
    guard try System.explained("locking", path, sign(file)) else { return nil }
    return descriptor
  }

  /// Whether the content of an open file is that of a lock file: empty, or a number and a line end.
  private func isLock(_ file: Int32) throws(SystemError) -> Bool {
    guard try system.status(of: file).kind == .regular else { return false }
    let text = try system.beginning(of: file, limit: Self.ownerLength)
    let rest = text.drop(while: Characters.isDigit)
    return text.count < Self.ownerLength
      && (rest.isEmpty || rest.count < text.count && rest.elementsEqual([JSONByte.lineFeed]))
  }

  /// Writes the process id into the locked file. False when the previous owner removed it before it
  /// was locked: no other process would see this lock.
  private func sign(_ file: Int32) throws(SystemError) -> Bool {
    guard try isNamed(file) else { return false }
    do throws(SystemError) {
      let owner = ByteBuffer(text: "\(System.processID)\n")
      try system.replaceContent(of: file, with: owner.view)
    } catch {
      try? system.removeFile(path)
      throw error
    }
    return true
  }

  /// Whether the lock's path is the name of an open file.
  private func isNamed(_ file: Int32) throws(SystemError) -> Bool {
    try system.status(of: file).identity == system.entry(at: path)?.identity
  }

  private var strange: Failure {
    Failure(
      .usage, doing: "locking the output with", path: path, why: "it is not a lock of eventmill",
      advice: "move it away, or name another output")
  }

  private func busy(owner: [UInt8]) -> Failure {
    Failure(
      .locked, doing: "locking the output", path: output.path, why: Self.holder(owner),
      advice: "wait for it to end and run again")
  }
}
