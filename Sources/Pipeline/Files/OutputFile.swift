/// The properties of a written file, as listed in the manifest (docs/reference/file-formats.md).
package struct WrittenFile: Document, Sendable, Equatable {
  package var path = ""
  package private(set) var bytes = 0
  /// Lines of text before compression.
  package private(set) var lines = 0
  /// XXH64 of the bytes, seed 0.
  package private(set) var xxh64: UInt64 = 0

  package static let fields: [Field<WrittenFile>] = [
    .value("path", \.path), .count("bytes", \.bytes), .count("lines", \.lines),
    .value("xxh64", \.xxh64),
  ]

  package init() {}

  package init(path: String, bytes: Int, lines: Int, xxh64: UInt64) {
    (self.path, self.bytes, self.lines, self.xxh64) = (path, bytes, lines, xxh64)
  }
}

/// A new file, written sequentially and then synced to disk unless it is temporary
/// (docs/reference/file-formats.md). Nothing is guaranteed until ``finish()`` has returned. After a
/// failure every further call fails the same way; an unfinished file is closed and left to its
/// directory. One thread at a time.
package final class OutputFile {
  /// Buffer size; longer appends are written immediately.
  static let bufferSize = 64 << 10
  /// The same of a temporary file: there may be many.
  private static let temporaryBufferSize = 16 << 10
  /// Bytes after which the disk begins with them.
  private static let hastened = 8 << 20

  /// The path in the published directory.
  package let path: String
  package private(set) var bytes = 0
  package private(set) var lines = 0

  /// The current path of the file.
  package let location: String
  let system: System
  /// Whether only this process reads the file: it is not hashed, and never synced.
  private let isTemporary: Bool
  private let descriptor: Int32
  private let whenFinished: @Sendable (WrittenFile) -> Void
  /// Whether this object owns the descriptor and it is open.
  private var isOpen: Bool
  private var failure: Failure?
  private var isFinished = false
  private var hash = XXH64()
  /// Bytes that the system has, and those of them that the disk has begun with.
  private var (written, begun) = (0, 0)
  /// Grows on demand.
  private var buffer = ByteBuffer()

  /// Creates the file `path` in `directory`.
  /// `isTemporary` is whether only this process reads it; `whenFinished` is called once, with the
  /// result of a successful ``finish()``.
  /// - Throws: `io`, when a file of that name exists or it cannot be created.
  package convenience init(
    path: String, in directory: String, isTemporary: Bool = false, system: System = .real,
    whenFinished: @escaping @Sendable (WrittenFile) -> Void = { _ in }
  ) throws(Failure) {
    let location = "\(directory)/\(path)"
    let descriptor = try System.explained("creating", location, system.create(location))
    self.init(
      descriptor: descriptor, path: path, location: location, isTemporary: isTemporary,
      system: system, whenFinished: whenFinished)
  }

  /// Writes to an open file, which is closed at the end, unless this is a part of another one.
  init(
    descriptor: Int32, path: String, location: String, isTemporary: Bool = false, system: System,
    isPart: Bool = false,
    whenFinished: @escaping @Sendable (WrittenFile) -> Void = { _ in }
  ) {
    isOpen = !isPart
    (self.descriptor, self.path, self.location) = (descriptor, path, location)
    (self.isTemporary, self.system, self.whenFinished) = (isTemporary, system, whenFinished)
  }

  deinit {
    // The file is abandoned, so a failure to close it does not matter.
    if isOpen { try? system.closeFile(descriptor) }
  }

  /// The next part of the file, called `name`, with a length and a hash of its own, which are not
  /// included in those of the file. The file must outlive it, and continues when it is finished.
  package func part(_ name: String) throws(Failure) -> sending OutputFile {
    try requireOpen()
    try flush()
    return OutputFile(
      descriptor: descriptor, path: name, location: location, system: system, isPart: true)
  }

  /// Appends `view`, in which `lines` lines end.
  package func append(_ view: ByteView, lines: Int = 0) throws(Failure) {
    try requireOpen()
    if !isTemporary { hash.update(view) }
    bytes += view.count
    self.lines += lines
    let mostBuffered = isTemporary ? Self.temporaryBufferSize : Self.bufferSize
    if buffer.count + view.count > mostBuffered { try flush() }
    if view.count >= mostBuffered { try write(view) } else { buffer.append(view) }
  }

  /// Writes `view` at an offset of a temporary file, which may be behind its end.
  package func write(_ view: ByteView, at offset: Int) throws(Failure) {
    precondition(isTemporary, "a file that is published is written in order")
    try requireOpen()
    bytes = max(bytes, offset + view.count)
    try guarded("writing", system.write(all: view, to: descriptor, at: offset))
  }

  /// Closes the file, synced to disk unless it is temporary: then its hash is that of nothing.
  /// - Throws: `io`; then the file is closed, and its content is undefined.
  package func finish() throws(Failure) -> WrittenFile {
    try requireOpen()
    try flush()
    if isOpen {
      if !isTemporary { try guarded("flushing", system.synchronize(descriptor)) }
      isOpen = false
      try guarded("closing", system.closeFile(descriptor))
    }
    isFinished = true
    let written = WrittenFile(path: path, bytes: bytes, lines: lines, xxh64: hash.digest)
    whenFinished(written)
    return written
  }

  private func requireOpen() throws(Failure) {
    if let failure { throw failure }
    precondition(!isFinished, "a finished file cannot be written to")
  }

  private func flush() throws(Failure) {
    guard !buffer.isEmpty else { return }
    try write(buffer.view)
    buffer.removeAll()
  }

  private func write(_ view: ByteView) throws(Failure) {
    try guarded("writing", system.write(all: view, to: descriptor))
    written += view.count
    guard !isTemporary, written - begun >= Self.hastened, isOpen else { return }
    system.hasten(begun..<written, of: descriptor)
    begun = written
  }

  private func guarded(
    _ doing: String, _ call: @autoclosure () throws(SystemError) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try System.explained(doing, location, call())
    } catch {
      failure = error
      throw error
    }
  }
}
