import Dispatch

/// Compressed bytes of a zstd input on their way to be decompressed: some whole frames, or a piece
/// of a frame that has to be decompressed piece by piece.
///
/// The reader owns a group, except while somebody decompresses it ahead: that one has it alone from
/// the moment at which the state turns from `waiting` to `decoding` until it turns to `done`.
final class FrameGroup: @unchecked Sendable {
  // @unchecked because of that order of owners.
  private enum State {
    /// In the reader's hands.
    case filling
    /// To be decompressed by who comes first.
    case waiting
    case decoding
    case done
  }

  /// The bytes as they lie on disk.
  var compressed = ByteBuffer(capacity: 0)
  /// How many data frames they are; nil for a piece of a frame.
  var frames: Int?
  /// The length of what the frames hold, as their headers tell.
  var contentSize = 0

  /// What the frames hold; empty when they turned out to be damaged.
  private(set) var content = ByteBuffer(capacity: 0)
  /// Whether ``content`` is all that the frames hold.
  private(set) var isDecoded = false
  private var decoder: ZstdFrameDecoder?
  private let state = Locked(State.filling)
  private let isDone = DispatchSemaphore(value: 0)

  /// Prepares the group for other bytes. Somebody who was asked to decompress the earlier ones may
  /// still come: until ``offer()`` he finds nothing to do.
  func reset() {
    state.withLock { $0 = .filling }
    compressed.removeAll()
    frames = nil
    contentSize = 0
    content.removeAll()
    isDecoded = false
  }

  /// Says that the group is filled with whole frames.
  func offer() { state.withLock { $0 = .waiting } }

  /// Decompresses the frames, unless there are none yet or somebody has begun to. For any thread.
  func decode() {
    let isMine = state.withLock { state in
      defer { if state == .waiting { state = .decoding } }
      return state == .waiting
    }
    guard isMine else { return }
    if decoder == nil { decoder = ZstdFrameDecoder() }
    isDecoded =
      decoder?.decode(compressed.view, content: contentSize, into: &content) ?? false
    state.withLock { $0 = .done }
    isDone.signal()
  }

  /// Waits until the frames, which were offered, are decompressed, or does it; `cores` has other
  /// work meanwhile.
  func finishDecoding(giving cores: CoreBudget?) {
    decode()
    if isDone.wait(timeout: .now()) == .success { return }
    guard let cores else { return isDone.wait() }
    cores.whileWaiting { isDone.wait() }
  }
}
