import Dispatch

/// Decompresses frames ahead of the reader on idle cores: one group of frames more than there are
/// cores. Shared by the inputs of a job, so that the end of one file causes no wait. Used by the
/// reader only.
package final class FramePrefetcher {
  /// The cores of the job; nil when the reader works alone.
  let cores: CoreQueues?
  let sizes: FrameReader.Sizes
  private let lanes: WorkQueue?
  private let working = Locked(UInt64(0))
  private var free: [DecodeJob] = []
  private var unmade: Int

  /// Without `cores`, or with one, nothing is decompressed ahead.
  package convenience init(_ cores: CoreQueues?) { self.init(cores, sizes: FrameReader.Sizes()) }

  init(_ cores: CoreQueues?, sizes: FrameReader.Sizes) {
    (self.cores, self.sizes) = (cores, sizes)
    let count = cores?.count ?? 1
    lanes = count > 1 ? cores.map { WorkQueue("ahead", lanes: count, cores: $0) } : nil
    unmade = count > 1 ? count + 1 : 1
  }

  /// Nanoseconds of decompression on threads other than the reader's.
  package var nanoseconds: UInt64 { working.withLock { $0 } }

  /// Returns an unused group; nil when all are under way.
  func take() -> DecodeJob? {
    if let group = free.popLast() {
      group.reclaim()
      return group
    }
    guard unmade > 0 else { return nil }
    unmade -= 1
    return DecodeJob(FrameDecoding())
  }

  func give(_ group: DecodeJob) { free.append(group) }

  /// Gives up a group that may still be running; another one may replace it.
  func drop(_ group: DecodeJob) { unmade += 1 }

  /// Submits the group for decompression on a free core; the reader does it itself if it is faster.
  func begin(_ group: DecodeJob) {
    group.offer()
    lanes?.submit { [working] _ in
      let start = DispatchTime.now().uptimeNanoseconds
      group.run()
      let end = DispatchTime.now().uptimeNanoseconds
      working.withLock { $0 += end - start }
    }
  }
}
