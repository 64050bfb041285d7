/// A file that is read at any position, any number of times, by any thread.
package final class PositionedFile: Sendable {
  package let path: String
  /// Its length in bytes when it was opened.
  package let size: Int
  /// Its offset in the file at the path: not 0 for a window.
  private let base: Int
  package let doing: String
  private let system: System
  /// Nil for a file that is reopened for each reading.
  private let held: Frozen<Descriptor>?

  /// Opens the regular file `path`; failures name the action `doing`. One of very many files need
  /// not be `isHeld`: it is reopened for each reading, and must not have changed.
  /// - Throws: `corrupt`, when it is not a regular file; `io`.
  package init(
    _ path: String, doing: String, isHeld: Bool = true, system: System = .real
  ) throws(Failure) {
    (self.path, self.doing, self.system, base) = (path, doing, system, 0)
    let descriptor = try Descriptor(reading: path, doing: doing, system: system)
    size = try System.explained(doing, path, for: .reading, descriptor.status()).size
    held = isHeld ? Frozen(descriptor) : nil
  }

  /// Opens the file `path`, which a user named.
  /// - Throws: `usage`, when it is not a regular file; `io`.
  package convenience init(
    named path: String, doing: String, system: System = .real
  ) throws(Failure) {
    let kind = try system.status(of: path, doing: doing).kind
    guard kind == .regular else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it is \(kind.words), not a file",
        advice: "name a file")
    }
    try self.init(path, doing: doing, system: system)
  }

  private init(_ whole: PositionedFile, _ range: Range<Int>) {
    (path, doing, system, held) = (whole.path, whole.doing, whole.system, whole.held)
    (base, size) = (whole.base + range.lowerBound, range.count)
  }

  /// The bytes `range` as a file of their own, which keeps this one open.
  package func window(_ range: Range<Int>) -> PositionedFile { PositionedFile(self, range) }

  /// Appends the bytes of `range` to `buffer`.
  /// - Throws: `corrupt`, when the file is shorter; `io`.
  package func read(_ range: Range<Int>, into buffer: inout ByteBuffer) throws(Failure) {
    if let held { return try read(range, from: held.value, into: &buffer) }
    let descriptor = try Descriptor(reading: path, doing: doing, system: system)
    try read(range, from: descriptor, into: &buffer)
  }

  /// All lines, each with its end, which the last may lack in the file; without a byte order mark.
  package func text() throws(Failure) -> ByteBuffer {
    let start = min(BlockReader.byteOrderMark.count, size)
    var text = ByteBuffer(capacity: size + 1)
    try read(0..<start, into: &text)
    if text.view == BlockReader.byteOrderMark { text.removeAll() }
    try read(start..<size, into: &text)
    text.append(UInt8(ascii: "\n"))
    return text
  }

  private func read(
    _ range: Range<Int>, from descriptor: borrowing Descriptor, into buffer: inout ByteBuffer
  ) throws(Failure) {
    guard range.isEmpty || range.upperBound <= size else {
      throw damaged("it ends at byte \(size), before its expected end")
    }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let read = try System.explained(
        doing, path, for: .reading,
        system.read(descriptor.number, range.upperBound - offset, at: base + offset, into: &buffer))
      guard read > 0 else { throw damaged("it ends at byte \(offset), before its expected end") }
      offset += read
    }
  }

  /// Calls `body` with all bytes in order, in pieces of `step` bytes.
  package func read(
    by step: Int = 1 << 20, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    var piece = ByteBuffer(capacity: min(step, size))
    for start in stride(from: 0, to: size, by: step) {
      piece.removeAll()
      try read(start..<min(start + step, size), into: &piece)
      try body(piece.view)
    }
  }

  /// XXH64 of the whole file. `each` is called with every piece in order.
  package func hash(_ each: (ByteView) throws(Failure) -> Void = { _ in }) throws(Failure) -> UInt64
  {
    var hash = XXH64()
    try read { piece throws(Failure) in
      hash.update(piece)
      try each(piece)
    }
    return hash.digest
  }

  /// The failure for a temporary file that does not have what this process wrote.
  package var otherBytes: Failure {
    Failure(
      .io, doing: doing, path: path, why: "its bytes are not those that were written",
      advice: ["check the disk", "run again"])
  }

  package func damaged(_ why: String, frame: Int? = nil) -> Failure {
    Failure(
      .corrupt, doing: doing, path: path, frame: frame, why: why,
      advice: "restore the file from a copy, or make it again")
  }
}

package struct FileHash: Hashable, Sendable {
  package var bytes: Int
  /// Of all bytes, seed 0.
  package var xxh64: UInt64

  package init(bytes: Int = 0, xxh64: UInt64 = 0) {
    (self.bytes, self.xxh64) = (bytes, xxh64)
  }

  /// Reads the file `path`. `each` is called with every piece in order, and may stop that by
  /// throwing. Memory is one piece.
  /// - Throws: `io`; what `each` throws.
  package init(
    of path: String, doing: String, each: (ByteView) throws(Failure) -> Void = { _ in }
  ) throws(Failure) {
    let file = try PositionedFile(path, doing: doing)
    self.init(bytes: file.size, xxh64: try file.hash(each))
  }
}
