import Pipeline
import Stages

extension DiffJob {
  /// Compares the published profiles of two outputs, whose numbers of parts may differ: calls
  /// `body` with each that differs, and adds it to `attributes`.
  /// - Throws: `corrupt`, `io`; what `body` throws.
  func compareProfiles(
    _ old: DiffSide, _ new: DiffSide, _ attributes: AttributeComparison,
    _ body: ((ProfileChange) throws(Failure) -> Void)?
  ) throws(Failure) -> ProfileCounts {
    var counts = ProfileCounts()
    let (oldFiles, newFiles) = (old.profileFiles, new.profileFiles)
    // A key is in the part of its hash modulo their number. So keys of one remainder by the
    // greatest common divisor are in parts of that remainder, on both sides.
    let groups = greatestCommonDivisor(oldFiles.count, newFiles.count)
    for group in 0..<groups {
      if oldFiles.count == newFiles.count, oldFiles[group].xxh64 == newFiles[group].xxh64,
        oldFiles[group].bytes == newFiles[group].bytes
      {
        counts.equal += newFiles[group].lines
        continue
      }
      func open(_ side: DiffSide, _ parts: Int) throws(Failure) -> [SortedRun] {
        try stride(from: group, to: parts, by: groups).map { part throws(Failure) in
          try side.run.part(part)
        }
      }
      var walk = try ProfileWalk(open(old, oldFiles.count), open(new, newFiles.count))
      var bytes = 0
      while let (before, after) = try walk.next() {
        try control.check()
        control.position.advance(by: walk.bytes - bytes)
        bytes = walk.bytes
        switch (before, after) {
        case (nil, _): counts.added += 1
        case (_, nil): counts.gone += 1
        default: counts.changed += 1
        }
        attributes.take(old: before, new: after)
        if let body { try body(ProfileChange(old: before, new: after)) }
      }
      counts.equal += walk.equalCount
    }
    return counts
  }

  private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
  }
}
