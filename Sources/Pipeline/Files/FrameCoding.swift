import Dispatch

typealias DecodeJob = ClaimableJob<FrameDecoding>
typealias EncodeJob = ClaimableJob<FrameEncoding>

/// Compressed bytes of a zstd input to be decompressed: whole frames, or a piece of one.
struct FrameDecoding: ClaimableWork, ~Copyable {
  var compressed = ByteBuffer(capacity: 0)
  /// Number of data frames; nil for a piece of a frame.
  var frames: Int?
  /// Length of the content according to the frame headers.
  var contentSize = 0

  /// Empty when the frames turned out to be damaged.
  private(set) var content = ByteBuffer(capacity: 0)
  private(set) var isDecoded = false
  private var decoder: ZstdDecompressor?

  mutating func reset() {
    compressed.removeAll()
    content.removeAll()
    (frames, contentSize, isDecoded) = (nil, 0, false)
  }

  mutating func run() {
    if decoder == nil { decoder = try? ZstdDecompressor() }
    isDecoded = decoder?.decode(compressed.view, content: contentSize, into: &content) ?? false
  }
}

/// The text of a frame that is to be compressed.
struct FrameEncoding: ClaimableWork, ~Copyable {
  /// Capacity kept after a frame whose text was much longer than usual, in bytes.
  private static let retainedCapacity = 2 * SeekableTextWriter.frameText

  /// Whole lines.
  var text = ByteBuffer(capacity: 1 << 12)
  private(set) var compressed = ByteBuffer()
  private(set) var lines = 0
  private(set) var nanoseconds: UInt64 = 0
  private(set) var failure: Failure?
  private let encoder: ZstdEncoder

  init(level: Int) throws(Failure) { encoder = try ZstdEncoder(level: level) }

  mutating func reset() {
    text.removeAll()
    text.shrink(to: Self.retainedCapacity)
    compressed.removeAll()
    compressed.shrink(to: Self.retainedCapacity)
    (lines, nanoseconds, failure) = (0, 0, nil)
  }

  mutating func run() {
    let start = DispatchTime.now().uptimeNanoseconds
    let scan = NewlineScan(text.view)
    // A rest without a line end is a line, too.
    lines = scan.count + (scan.last.map { $0 + 1 } ?? 0 < text.count ? 1 : 0)
    do throws(Failure) {
      try encoder.compress(text.view, into: &compressed)
    } catch {
      failure = error
    }
    nanoseconds = DispatchTime.now().uptimeNanoseconds - start
  }
}

/// Work that runs once its input is set; see ``ClaimableJob``.
protocol ClaimableWork: ~Copyable {
  mutating func run()
}

/// Work that runs once, on the first thread that claims it: another core, or the one that needs the
/// result. Filled and read by one thread at a time; ``run()`` may be called from any.
final class ClaimableJob<Work: ClaimableWork & ~Copyable>: @unchecked Sendable {
  // @unchecked because `state` decides who owns `work`: the thread that fills and reads it or,
  // while it is `running`, the thread that runs it.
  private enum State {
    case filling, waiting, running, done
  }

  /// Its input, and its result.
  var work: Work
  private let state = Locked(State.filling)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ work: consuming Work) { self.work = work }

  /// Reclaims the work to be filled again. A stale run request is a no-op until ``offer()``.
  func reclaim() { state.withLock { $0 = .filling } }

  func offer() { state.withLock { $0 = .waiting } }

  var isFinished: Bool { state.withLock { $0 == .done } }

  /// Runs the work, unless its input is not set or another thread has claimed it.
  func run() {
    let isMine = state.withLock { state in
      defer { if state == .waiting { state = .running } }
      return state == .waiting
    }
    guard isMine else { return }
    work.run()
    state.withLock { $0 = .done }
    isDone.signal()
  }

  /// Runs the offered work, or waits for the core that does. Must be called once for each
  /// ``offer()``.
  func finish() {
    run()
    isDone.wait()
  }
}
