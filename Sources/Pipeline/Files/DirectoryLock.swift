/// Excludes other runs from one output directory, by a lock file beside it.
///
/// The lock is the system's (`flock`) and ends with its process; the file of a dead process is
/// taken over. The file holds the owner's process id, for the message. One thread at a time.
package final class DirectoryLock {
  /// Number of attempts when the lock file is removed at the same time.
  private static let attempts = 100
  /// Bytes read from the lock file; a process id is shorter.
  private static let ownerLength = 32

  private let path: String
  private let system: System
  private var descriptor: Int32?

  /// Locks `output`.
  /// - Throws: `locked`, when another process has it; `io`, when the lock file cannot be made.
  package init(_ output: OutputPath, system: System = .real) throws(Failure) {
    path = output.lock
    self.system = system
    for _ in 0..<DirectoryLock.attempts {
      if let locked = try DirectoryLock.acquire(output, system) {
        descriptor = locked
        return
      }
    }
    throw DirectoryLock.busy(output, owner: nil)
  }

  deinit { release() }

  /// Releases the lock and removes its file. Idempotent.
  package func release() {
    guard let descriptor else { return }
    self.descriptor = nil
    // The name is removed while the lock is held, so it is this lock's own file. A remaining file
    // is harmless: the next run takes it over.
    if (try? Self.isNamed(descriptor, path, system)) == true { try? system.removeFile(path) }
    system.unlock(descriptor)
    try? system.closeFile(descriptor)
  }

  /// The descriptor of the locked file; nil when the file lost its name before it was locked.
  private static func acquire(_ output: OutputPath, _ system: System) throws(Failure) -> Int32? {
    let path = output.lock
    // Opening a device may have side effects.
    let doing = "creating the lock"
    let entry = try System.explained(doing, path, for: .creating, system.entry(at: path))
    guard entry == nil || entry?.kind == .regular else { throw strange(path) }
    let descriptor = try System.explained(doing, path, for: .creating, system.openLock(path))
    var isOurs = false
    defer { if !isOurs { try? system.closeFile(descriptor) } }
    guard try System.explained("locking", path, system.lock(descriptor)) else {
      throw busy(output, owner: try? system.beginning(of: descriptor, limit: ownerLength))
    }
    guard try System.explained("locking", path, isLock(descriptor, system)) else {
      throw strange(path)
    }
    isOurs = try System.explained("locking", path, sign(descriptor, path, system))
    return isOurs ? descriptor : nil
  }

  /// Whether the content of an open file is that of a lock file: empty, or a number and a line end.
  private static func isLock(_ descriptor: Int32, _ system: System) throws(SystemError) -> Bool {
    guard try system.status(of: descriptor).kind == .regular else { return false }
    let text = try system.beginning(of: descriptor, limit: ownerLength)
    let rest = text.drop(while: Characters.isDigit)
    return text.count < ownerLength
      && (rest.isEmpty || rest.count < text.count && rest.elementsEqual([JSONByte.lineFeed]))
  }

  /// Writes the process id into the locked file. False when the previous owner removed it between
  /// the opening and the locking: no other process would see this lock.
  private static func sign(
    _ descriptor: Int32, _ path: String, _ system: System
  ) throws(SystemError) -> Bool {
    guard try isNamed(descriptor, path, system) else { return false }
    do throws(SystemError) {
      let owner = ByteBuffer(text: "\(System.processID)\n")
      try system.replaceContent(of: descriptor, with: owner.view)
    } catch {
      try? system.removeFile(path)
      throw error
    }
    return true
  }

  /// Whether `path` is the name of an open file.
  private static func isNamed(
    _ descriptor: Int32, _ path: String, _ system: System
  ) throws(SystemError) -> Bool {
    try system.status(of: descriptor).identity == system.entry(at: path)?.identity
  }

  private static func strange(_ path: String) -> Failure {
    Failure(
      .usage, doing: "locking the output with", path: path, why: "it is not a lock of eventmill",
      advice: "move it away, or name another output")
  }

  private static func busy(_ output: OutputPath, owner: [UInt8]?) -> Failure {
    let digits = String(decoding: owner?.prefix(while: Characters.isDigit) ?? [], as: UTF8.self)
    return Failure(
      .locked, doing: "locking the output", path: output.path,
      why: digits.isEmpty
        ? "another run is writing it" : "another run, process \(digits), is writing it",
      advice: "wait for it to end and run again")
  }
}
