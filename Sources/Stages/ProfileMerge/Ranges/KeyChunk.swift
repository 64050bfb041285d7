import Pipeline

/// Key states of one range, one after the other: in memory, or somewhere in a file. Of long logs
/// there are many, so it has 24 bytes.
enum KeyChunk: Sendable {
  case memory(Frozen<ByteBuffer>)
  /// With half of the hash of the bytes.
  case file(ChunkFile, at: Int, count: UInt32, hash: UInt32)

  /// The bytes, if they are in memory.
  var inMemory: Frozen<ByteBuffer>? {
    if case .memory(let bytes) = self { bytes } else { nil }
  }

  /// The bytes.
  /// - Throws: `corrupt`, `io`.
  func bytes() throws(Failure) -> Frozen<ByteBuffer> {
    switch self {
    case .memory(let bytes): return bytes
    case .file(let file, let start, let count, let hash):
      var bytes = ByteBuffer(capacity: Int(count))
      try file.read(start..<start + Int(count), hash, into: &bytes)
      return Frozen(bytes)
    }
  }
}

extension KeyChunk {
  /// Calls `body` with the bytes, which are valid during the call.
  /// - Throws: as ``bytes()``; what `body` throws.
  func read(_ body: (ByteView) throws(Failure) -> Void) throws(Failure) {
    let bytes = try bytes()
    defer { extendLifetime(bytes) }
    try body(bytes.value.view)
  }
}

/// The chunks of one log that are not in memory. Temporary: it is never synced, and removed with
/// its directory. One thread writes; when the file is finished any thread reads.
final class ChunkFile: Sendable {
  private struct State: ~Copyable {
    var output: OutputFile?
    var input: PositionedFile?
  }

  private let folder: StagedFolder
  private let name: String
  private let state = Locked(State())

  /// The file `name` in `folder`, which is made when something is appended.
  init(_ name: String, in folder: StagedFolder) { (self.name, self.folder) = (name, folder) }

  /// Appends `bytes`, less than 4 GiB as in ``RangeIndex``, and returns where they are.
  /// - Throws: `io`.
  func append(_ bytes: ByteView) throws(Failure) -> KeyChunk {
    let start = try state.withLock { state throws(Failure) in
      let output =
        if let known = state.output { known } else { try folder.create(name, isTemporary: true) }
      state.output = output
      let start = output.bytes
      try output.append(bytes)
      return start
    }
    return .file(self, at: start, count: UInt32(bytes.count), hash: Self.hash(bytes))
  }

  private static func hash(_ bytes: ByteView) -> UInt32 {
    UInt32(truncatingIfNeeded: XXH64.hash(bytes))
  }

  /// Ends the file; what was appended can be read then.
  /// - Throws: `io`.
  func finish() throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard let output = state.output else { return }
      _ = try output.finish()
      state.output = nil
      state.input = try PositionedFile(
        output.location, doing: "reading temporary data", system: folder.system)
    }
  }

  fileprivate func read(
    _ range: Range<Int>, _ hash: UInt32, into bytes: inout ByteBuffer
  ) throws(Failure) {
    guard let input = state.withLock({ $0.input }) else {
      preconditionFailure("chunks are read when the file is finished")
    }
    try input.read(range, into: &bytes)
    guard Self.hash(bytes.view) == hash else {
      throw Failure(
        .io, doing: "reading temporary data", path: input.path,
        why: "its bytes are not those that were written", advice: ["check the disk", "run again"])
    }
  }
}
