import Dispatch

/// The text of a frame that is to be compressed, by whoever comes first: another core, or the one
/// who needs the frame. The counterpart of ``FrameGroup``.
///
/// Filled and read by one thread at a time; ``encode()`` is for any thread.
final class PendingFrame: @unchecked Sendable {
  // @unchecked because `state` says whose everything else is: of the one who fills and reads it, or
  // of the one who compresses.

  /// What is kept of a frame's room when its text was much longer than a usual one, in bytes.
  private static let keptRoom = 2 * SeekableTextWriter.frameText

  private enum State {
    case filling, waiting, encoding, done
  }

  /// Whole lines.
  var text = ByteBuffer(capacity: 1 << 12)
  /// The frame, when it is made.
  private(set) var compressed = ByteBuffer()
  /// How many lines the text has.
  private(set) var lines = 0
  /// How long compressing took.
  private(set) var nanoseconds: UInt64 = 0

  private let encoder: ZstdEncoder
  private var failure: Failure?
  private let state = Locked(State.filling)
  private let isDone = DispatchSemaphore(value: 0)

  /// An empty frame.
  /// - Throws: `io`, when there is no memory to compress with.
  init(level: Int) throws(Failure) { encoder = try ZstdEncoder(level: level) }

  /// Forgets everything, to be filled again. Somebody who was asked to compress the earlier text
  /// may still come: until ``offer()`` he finds nothing to do.
  func reset() {
    state.withLock { $0 = .filling }
    text.removeAll()
    text.shrink(to: Self.keptRoom)
    compressed.removeAll()
    compressed.shrink(to: Self.keptRoom)
    lines = 0
    nanoseconds = 0
    failure = nil
  }

  /// Says that the text is whole.
  func offer() { state.withLock { $0 = .waiting } }

  /// Whether the frame is made.
  var isEncoded: Bool { state.withLock { $0 == .done } }

  /// Compresses the text, unless there is none yet or somebody has begun to.
  func encode() {
    let isMine = state.withLock { state in
      defer { if state == .waiting { state = .encoding } }
      return state == .waiting
    }
    guard isMine else { return }
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
    state.withLock { $0 = .done }
    isDone.signal()
  }

  /// Waits until the frame, which was offered, is made, or makes it; `cores` has other work
  /// meanwhile. To be called once for each ``offer()``.
  ///
  /// - Throws: `io`, when there was no memory.
  func finishEncoding(giving cores: CoreBudget?) throws(Failure) {
    encode()
    if isDone.wait(timeout: .now()) != .success {
      if let cores { cores.whileWaiting { isDone.wait() } } else { isDone.wait() }
    }
    if let failure { throw failure }
  }
}
