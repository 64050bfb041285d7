/// Reads a zstd input and cuts it, without decompressing it, into groups of whole frames.
///
/// ```
/// frames  | small | small | moderate     | large … | … | … |small|   in the file
/// groups  | one group     | a group      | a piece | … | … | a group
/// ```
/// The cut depends on the file alone. For one thread at a time.
struct FrameReader: ~Copyable {
  /// What the cut depends on, besides the file.
  struct Sizes: Sendable {
    /// Compressed bytes per read: the size of the largest block of a frame.
    var chunk = 128 << 10
    /// Content bytes at which a group of small frames is full: a block of lines.
    var fullContent = BlockReader.defaultBlockSize
    /// Frames with more compressed bytes are decompressed piece by piece.
    var largestFrame = 4 << 20
    /// So are frames with more content bytes: a group and its content are held in memory.
    var largestContent = InputSummary.longFrame
  }

  private let raw: RawInput
  private let sizes: Sizes
  private let limits: ZstdFrameExtent.Limits
  /// Bytes after the last group.
  private var rest = ByteBuffer(capacity: 0)
  private var isAtEnd = false
  /// The failure that ends the file early; thrown when the bytes before it were handed out.
  private var fault: Failure?
  /// Whether the last group was a piece of a frame; only the decoder knows where that frame ends.
  private(set) var isInFrame = false

  init(_ raw: RawInput, sizes: Sizes) {
    (self.raw, self.sizes) = (raw, sizes)
    limits = ZstdFrameExtent.Limits(
      compressed: sizes.largestFrame, content: sizes.largestContent,
      windowLog: ZstdDecoder.windowLog)
  }

  /// Reads the next bytes into `group`; false at the end. Throws `io`.
  mutating func read(into group: inout FrameDecoding) throws(Failure) -> Bool {
    group.reset()
    swap(&group.compressed, &rest)
    var end = 0
    if !isInFrame {
      end = cut(&group)
      isInFrame = end == 0
    }
    if isInFrame {
      group.frames = nil
      if group.compressed.isEmpty { refill(&group.compressed) }
      end = group.compressed.count
    }
    rest.append(group.compressed.view.dropFirst(end))
    group.compressed.truncate(to: end)
    if end > 0 { return true }
    if let fault { throw fault }
    return false
  }

  /// Ends the frame whose pieces came last; `rest` of the last piece follows it.
  mutating func endFrame(before rest: ByteView) {
    precondition(self.rest.isEmpty && isInFrame, "a frame ends with the piece that was read last")
    self.rest.append(rest)
    isInFrame = false
  }

  /// Adds whole frames until the group is full. Returns their bytes: 0 if the next is unsuited.
  private mutating func cut(_ group: inout FrameDecoding) -> Int {
    var end = 0
    var frames = 0
    defer { group.frames = frames }
    while group.contentSize < sizes.fullContent && end < limits.compressed {
      switch ZstdFrameExtent.of(group.compressed.view.dropFirst(end), within: limits) {
      case .whole(let compressed, let content, let isSkippable):
        end += compressed
        group.contentSize += content
        if !isSkippable { frames += 1 }
      case .incomplete:
        guard refill(&group.compressed) else { return end }
      case .unsuited: return end
      }
    }
    return end
  }

  /// Reads the next chunk; false at the end. Only the last one is not full, so that a damaged file
  /// gives the same whatever the sizes of reads.
  @discardableResult
  private mutating func refill(_ buffer: inout ByteBuffer) -> Bool {
    let start = buffer.count
    while buffer.count - start < sizes.chunk && !isAtEnd && fault == nil {
      do {
        let read = try raw.read(sizes.chunk - (buffer.count - start), into: &buffer)
        isAtEnd = read == 0
      } catch {
        fault = error
      }
    }
    return buffer.count > start
  }
}
