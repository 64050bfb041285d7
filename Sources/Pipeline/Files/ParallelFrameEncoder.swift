/// Compresses frames on the cores of the job, and appends them to their files in order. Shared by
/// the files of a job, so that the end of one file causes no wait. Bounded: a few frames more than
/// there are cores; when all are under way, the caller compresses the oldest. Used by one thread at
/// a time; with `cores`, by pieces of work on them.
package final class ParallelFrameEncoder {
  /// Most frames: those under way may belong to as many open files.
  private static let mostFrames = 256

  private let level: Int
  private let lanes: WorkQueue?
  private var free: [EncodeJob] = []
  private var unmade: Int
  /// Frames, and calls to make when everything before them was appended, as submitted.
  private var underWay: [(frame: EncodeJob?, then: () throws(Failure) -> Void)] = []
  /// The failure of a missing frame: then no later frame is appended.
  private var failure: Failure?
  /// Compression time of the frames appended so far.
  package private(set) var time = StageTime(name: "compress")

  /// Compresses at `level`. Without `cores`, or with one, the caller does it alone. Up to
  /// `filledAtOnce` frames may be filled at a time: one for accepted lines and one for rejects.
  package init(_ cores: CoreQueues?, level: Int, filledAtOnce: Int = 2) {
    self.level = level
    let count = cores?.count ?? 1
    lanes = count > 1 ? cores.map { WorkQueue("behind", lanes: count, cores: $0) } : nil
    unmade = min(count + 1 + filledAtOnce, ParallelFrameEncoder.mostFrames)
  }

  /// Returns an empty frame to be filled. Throws `io`, when an earlier one cannot be written.
  func take() throws(Failure) -> EncodeJob {
    if let failure { throw failure }
    while let first = underWay.first, first.frame?.isFinished ?? true { try handOutFirst() }
    while true {
      if let frame = free.popLast() { return frame }
      if unmade > 0 {
        unmade -= 1
        return try EncodeJob(FrameEncoding(level: level))
      }
      precondition(!underWay.isEmpty, "more frames are filled at a time than allowed")
      try handOutFirst()
    }
  }

  /// Submits a frame to be compressed and appended to `target`; without other cores, immediately.
  func submit(_ frame: EncodeJob, to target: any FrameTarget) throws(Failure) {
    frame.offer()
    underWay.append((frame, { [unowned self] () throws(Failure) in try append(frame, to: target) }))
    guard let lanes else { return try finish() }
    lanes.submit { _ in frame.run() }
  }

  /// Calls `body` when all frames submitted so far have been appended.
  package func then(_ body: @escaping () throws(Failure) -> Void) { underWay.append((nil, body)) }

  /// Waits for everything under way. Throws also what the bodies of ``then(_:)`` throw.
  package func finish() throws(Failure) { while !underWay.isEmpty { try handOutFirst() } }

  private func handOutFirst() throws(Failure) {
    if let failure { throw failure }
    do throws(Failure) { try underWay.removeFirst().then() } catch {
      failure = error
      throw error
    }
  }

  private func append(_ frame: EncodeJob, to target: any FrameTarget) throws(Failure) {
    frame.finish()
    if let failure = frame.work.failure { throw failure }
    time.nanoseconds += frame.work.nanoseconds
    time.units += 1
    time.bytes += frame.work.text.count
    time.items += frame.work.lines
    try target.append(
      frame: frame.work.compressed.view, decompressed: frame.work.text.count,
      lines: frame.work.lines)
    frame.reclaim()
    frame.work.reset()
    free.append(frame)
  }
}
