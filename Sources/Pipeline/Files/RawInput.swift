import Synchronization

/// Compressed bytes read so far, of all inputs of a run. Any thread.
package final class ReadPosition: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var compressedBytes: Int { count.load(ordering: .relaxed) }

  package func advance(by bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}

/// A source of the decompressed bytes of an input.
protocol ByteSource: AnyObject {
  /// Appends up to `limit` of the next bytes to `buffer` and returns how many; 0 at the end.
  /// Bytes before a fault are handed out first, and the next call throws it.
  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int

  /// Reads ahead as far as there is room. Returns whether that was the rest. Keeps a fault for the
  /// call of ``read(_:into:)`` that reaches it.
  func readAhead() -> Bool
}

extension ByteSource {
  func readAhead() -> Bool { false }
}

/// The bytes of an input on disk: read once, counted and hashed. For one thread at a time.
final class RawInput: ByteSource {
  static let doing = "reading the input"

  let file: InputFile
  private(set) var count = 0
  /// Bytes of content in zstd frames that are decompressed piece by piece.
  var inLongFrames = 0

  private let descriptor: Descriptor
  /// When it was opened, or earlier: ``InputFile/seen``.
  let seen: FileStatus
  private let position: ReadPosition
  /// The cores of the job; a reader with a borrowed one returns it while it waits for bytes.
  let cores: CoreQueues?
  let system: System
  /// The hash of the bytes read so far; nil if it was not requested.
  private var hash: XXH64?
  /// Bytes read for ``detect()``; the first `taken` were handed out.
  private var ahead = ByteBuffer(capacity: Compression.longestMagic)
  private var taken = 0

  init(
    _ file: InputFile, hashes: Bool = true, position: ReadPosition, cores: CoreQueues? = nil,
    system: System = .real
  ) throws(Failure) {
    (self.file, self.position, self.cores, self.system) = (file, position, cores, system)
    hash = hashes ? XXH64() : nil
    descriptor = try RawInput.open(file, cores: cores, system)
    let opened = try System.explained(
      RawInput.doing, file.name, for: .reading, descriptor.status())
    seen = file.seen ?? opened
    if opened.kind == .stream { System.enlargePipe(descriptor.number) }
    // A stream that was found as a file has since been replaced.
    let isReadable =
      opened.kind == .regular || opened.kind == .stream && file.size == nil
      || (opened.kind == .stream || opened.kind == .device) && file.isStandardInput
    guard isReadable else {
      throw Failure(
        .io, doing: RawInput.doing, path: file.name,
        why: "it is \(opened.kind.words)" + (opened.kind == .directory ? "" : ", not a file"),
        advice: "name a file, a directory or - for standard input")
    }
    try check(opened)
  }

  private static func open(
    _ file: InputFile, cores: CoreQueues?, _ system: System
  ) throws(Failure) -> Descriptor {
    if file.isStandardInput {
      return try Descriptor.standardInput(doing: RawInput.doing, system: system)
    }
    func open() throws(Failure) -> Descriptor {
      try Descriptor(
        opening: file.path, waits: file.size == nil, doing: RawInput.doing, system: system)
    }
    // Opening a pipe waits for a writer.
    guard let cores, file.size == nil else { return try open() }
    return try cores.whileWaiting(open)
  }

  /// Of the descriptor, to wait for bytes; valid as long as this object.
  var number: Int32 { descriptor.number }

  var digest: UInt64? { hash?.digest }

  /// Detects the compression. Must be called before anything is read.
  func detect() throws(Failure) -> Compression {
    precondition(count == 0, "compression is detected before anything is read")
    while ahead.count < Compression.longestMagic {
      guard try readFile(Compression.longestMagic - ahead.count, into: &ahead) > 0 else { break }
    }
    return Compression.detect(ahead.view)
  }

  /// Whether what ``detect()`` has read begins with a bracket, or is blank.
  var beginsAsLog: Bool {
    let start = LogProbe.start(of: ahead.view)
    return start == ahead.count || ahead[start] == JSONByte.openBrace
      || ahead[start] == JSONByte.openBracket
  }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    guard taken < ahead.count else { return try readFile(limit, into: &buffer) }
    let given = min(limit, ahead.count - taken)
    buffer.append(ahead[taken..<taken + given])
    taken += given
    return given
  }

  private func readFile(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    if seen.kind != .regular, let cores {
      var interests = [Interest(number: descriptor.number, direction: .reading)]
      try explained(system.wait(for: &interests, giving: cores))
    }
    let read = try explained(descriptor.read(limit, into: &buffer))
    hash?.update(buffer[buffer.count - read..<buffer.count])
    count += read
    position.advance(by: read)
    return read
  }

  /// Checks that a regular file was neither written to, truncated nor replaced since it was
  /// ``seen``.
  func checkUnchanged() throws(Failure) { try check(explained(descriptor.status())) }

  private func check(_ now: FileStatus) throws(Failure) {
    guard seen.kind == .regular else { return }
    let isOther = now.identity != seen.identity
    guard isOther || now.size != seen.size || now.modified != seen.modified else { return }
    let change =
      isOther
      ? "another file has its name"
      : now.size == seen.size
        ? "its modification time changed"
        : "\(NumberFormat.count(seen.size, "byte")) at first, \(NumberFormat.grouped(now.size)) now"
    throw Failure(
      .io, doing: RawInput.doing, path: file.name,
      why: "it changed while it was read (\(change))",
      advice: "run again when it is no longer being written", mayPass: true)
  }

  private func explained<Value>(
    _ call: @autoclosure () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    try System.explained(RawInput.doing, file.name, for: .reading, call())
  }
}

struct OpenedInput {
  let raw: RawInput
  let compression: Compression
  let source: any ByteSource

  /// Opens `file` and detects its compression.
  /// - Throws: `io`, when the file cannot be opened, or a program to decompress it is missing;
  ///   `corrupt`, when its name has the suffix of a compression, and it begins as no log does.
  init(
    _ file: InputFile, hashes: Bool = true, position: ReadPosition = ReadPosition(),
    ahead: FramePrefetcher = FramePrefetcher(nil), system: System = .real
  ) throws(Failure) {
    raw = try RawInput(file, hashes: hashes, position: position, cores: ahead.cores, system: system)
    compression = try raw.detect()
    if let promise = Compression.promise(of: file.path), compression == .none, !raw.beginsAsLog {
      throw Failure(
        .corrupt, doing: RawInput.doing, path: file.name, offset: 0,
        why:
          "it is named \(promise.suffix) but begins with neither \(promise.form.opening) nor JSON",
        advice: "fetch the file again, or rename it according to its content")
    }
    source = try OpenedInput.source(of: raw, compression, ahead: ahead)
  }

  /// The content of `raw`, which has not been read. Throws `io`, as `init` does.
  static func source(
    of raw: RawInput, _ compression: Compression, ahead: FramePrefetcher = FramePrefetcher(nil)
  ) throws(Failure) -> any ByteSource {
    if let tool = compression.tool { return try ToolSource(raw, tool: tool) }
    if compression == .zstd { return try ZstdSource(raw, ahead: ahead) }
    return raw
  }
}
