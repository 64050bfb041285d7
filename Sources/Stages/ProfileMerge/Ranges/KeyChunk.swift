import Pipeline

/// Key states of one range, one after the other: in memory, or somewhere in a file.
enum KeyChunk: Sendable {
  case memory(Frozen<ByteBuffer>)
  /// With half of the hash of the bytes.
  case file(ChunkFile, at: Int, count: UInt32, hash: UInt32)

  /// The bytes, if they are in memory.
  var inMemory: Frozen<ByteBuffer>? { if case .memory(let bytes) = self { bytes } else { nil } }

  func bytes() throws(Failure) -> Frozen<ByteBuffer> {
    switch self {
    case .memory(let bytes): return bytes
    case .file(let file, let start, let count, let hash):
      var bytes = ByteBuffer(capacity: Int(count))
      try file.input.read(start..<start + Int(count), into: &bytes)
      guard XXH64.half(bytes.view) == hash else { throw file.input.otherBytes }
      return Frozen(bytes)
    }
  }

  /// Bytes of a beginning: at least the head of a state and its key.
  private static let beginning = 8 << 10

  /// Calls `body` with the first bytes, and the number of all. They are not compared with the hash:
  /// only for a sample.
  func readBeginning(_ body: (ByteView, _ count: Int) -> Void) throws(Failure) {
    switch self {
    case .memory(let bytes):
      body(bytes.value[0..<min(Self.beginning, bytes.value.count)], bytes.value.count)
    case .file(let file, let start, let count, _):
      var bytes = ByteBuffer(capacity: Self.beginning)
      try file.input.read(start..<start + min(Self.beginning, Int(count)), into: &bytes)
      body(bytes.view, Int(count))
    }
  }

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
    /// Bytes that extents have taken.
    var taken = 0
  }

  private let folder: StagedFolder
  private let name: String
  /// Most bytes of an extent that grows.
  private let longestExtent: Int
  private let state = Locked(State())

  /// The file `name` in `folder`, which is made when something is appended.
  init(_ name: String, in folder: StagedFolder, longestExtent: Int) {
    (self.name, self.folder, self.longestExtent) = (name, folder, longestExtent)
  }

  /// Part of the file that one range fills.
  struct Extent: ~Copyable {
    fileprivate var (start, room, count) = (0, 0, 0)
    fileprivate var hash = XXH64()
  }

  /// Appends `bytes`, less than 4 GiB as in ``RangeIndex``, to an extent, or to a new one, which is
  /// longer if the last one was full, and returns what is in it: instead of the last chunk if it
  /// was not new. So many short chunks of a range are few.
  func append(
    _ bytes: ByteView, to extent: inout Extent
  ) throws(Failure) -> (chunk: KeyChunk, isNew: Bool) {
    let isNew = extent.room - extent.count < bytes.count
    if isNew {
      let room = max(bytes.count, min(2 * extent.room, longestExtent))
      extent = Extent()
      extent.room = room
      extent.start = state.withLock { state in
        defer { state.taken += room }
        return state.taken
      }
    }
    let offset = extent.start + extent.count
    try state.withLock { state throws(Failure) in
      let output =
        if let known = state.output { known } else { try folder.create(name, isTemporary: true) }
      state.output = output
      try output.write(bytes, at: offset)
    }
    extent.hash.update(bytes)
    extent.count += bytes.count
    let chunk = KeyChunk.file(
      self, at: extent.start, count: UInt32(extent.count),
      hash: UInt32(truncatingIfNeeded: extent.hash.digest))
    return (chunk, isNew)
  }

  /// Ends the file; what was appended can be read then.
  func finish() throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard let output = state.output else { return }
      _ = try output.finish()
      state.output = nil
      state.input = try PositionedFile(
        output.location, doing: "reading temporary data", system: folder.system)
    }
  }

  fileprivate var input: PositionedFile {
    guard let input = state.withLock({ $0.input }) else {
      preconditionFailure("chunks are read when the file is finished")
    }
    return input
  }
}
