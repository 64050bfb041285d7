/// A zstd input. Frames of moderate size are decompressed as a whole, perhaps ahead on other cores.
/// A large frame, and one that turns out to be damaged, is decompressed piece by piece straight
/// into the block, so that everything before a fault is delivered.
final class ZstdSource: ByteSource {
  private let raw: RawInput
  private let ahead: FramePrefetcher
  private var reader: FrameReader
  /// Decompresses pieces of frames; also tracks the position in the file.
  private var decoder: ZstdDecoder
  /// Groups read ahead, in file order.
  private var upcoming: [DecodeJob] = []
  /// The group being handed out, and how much of its content (or of its bytes, if it is not
  /// decoded) was.
  private var current: DecodeJob?
  private var consumed = 0
  /// The failure that ends the file after the upcoming groups.
  private var fault: Failure?
  private var isAtEnd = false

  init(_ raw: RawInput, ahead: FramePrefetcher) throws(Failure) {
    (self.raw, self.ahead) = (raw, ahead)
    reader = FrameReader(raw, sizes: ahead.sizes)
    do {
      decoder = try ZstdDecoder()
    } catch {
      throw error.failure(doing: RawInput.doing, path: raw.file.name)
    }
  }

  deinit {
    if let current { ahead.give(current) }
    upcoming.forEach { ahead.drop($0) }
  }

  private var isReadAhead: Bool { isAtEnd || fault != nil }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    while true {
      readAhead()
      if let current {
        let written = try handOut(current, limit, into: &buffer)
        if written > 0 { return written }
        ahead.give(current)
        self.current = nil
      } else if !upcoming.isEmpty {
        begin(upcoming.removeFirst())
      } else {
        if let fault { throw fault }
        try explained(decoder.finish())
        return 0
      }
    }
  }

  @discardableResult
  func readAhead() -> Bool {
    // The end of a frame in pieces is only known after decompressing it.
    while !isReadAhead, !(reader.isInFrame && hasPiece), let group = ahead.take() {
      do throws(Failure) {
        if try reader.read(into: &group.work) {
          upcoming.append(group)
          if group.work.frames != nil { ahead.begin(group) }
          continue
        }
        isAtEnd = true
      } catch {
        fault = error
      }
      ahead.give(group)
    }
    return isReadAhead
  }

  private func explained<Value>(
    _ call: @autoclosure () throws(ZstdError) -> Value
  ) throws(Failure) -> Value {
    do {
      return try call()
    } catch {
      throw error.failure(doing: RawInput.doing, path: raw.file.name)
    }
  }

  /// Whether a piece of a frame is under way.
  private var hasPiece: Bool { (upcoming.last ?? current).map { $0.work.frames == nil } ?? false }

  private func begin(_ group: DecodeJob) {
    current = group
    consumed = 0
    guard let frames = group.work.frames else { return }
    group.finish()
    if group.work.isDecoded { decoder.skip(frames: frames, bytes: group.work.contentSize) }
  }

  /// Appends up to `limit` bytes of the group's content; 0 at its end.
  private func handOut(
    _ group: DecodeJob, _ limit: Int, into buffer: inout ByteBuffer
  ) throws(Failure) -> Int {
    guard !group.work.isDecoded else {
      let written = min(limit, group.work.content.count - consumed)
      buffer.append(group.work.content[consumed..<consumed + written])
      consumed += written
      return written
    }
    let isPiece = group.work.frames == nil
    var written = 0
    // A frame that ended in the previous call is not followed by another one in its piece.
    if !isPiece || consumed == 0 || !decoder.isBetweenFrames {
      written = try explained(
        decoder.decode(
          group.work.compressed.view, consumed: &consumed, room: limit, stopsAtFrameEnd: isPiece,
          into: &buffer))
    }
    if isPiece { raw.inLongFrames += written }
    if written == 0 && isPiece && decoder.isBetweenFrames {
      reader.endFrame(before: group.work.compressed.view.dropFirst(consumed))
    }
    return written
  }
}
