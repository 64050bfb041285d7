import Pipeline
import Stages

/// Compares the published profiles of two outputs, whose numbers of parts may differ.
struct ProfileComparison {
  private let old: DiffSide
  private let new: DiffSide
  private let control: JobControl
  /// The attributes of the profiles that differ.
  let attributes = AttributeComparison()
  private(set) var counts = ProfileCounts()

  init(_ old: DiffSide, _ new: DiffSide, _ control: JobControl) {
    (self.old, self.new, self.control) = (old, new, control)
  }

  /// Compares all of them, and calls `body` with each that differs.
  /// - Throws: `corrupt`, `io`; what `body` throws.
  mutating func run(
    _ body: ((ProfileChange) throws(Failure) -> Void)?
  ) throws(Failure) {
    let (oldFiles, newFiles) = (old.profileFiles, new.profileFiles)
    // A key is in the part of its hash modulo their number. So keys of one remainder by the
    // greatest common divisor are in parts of that remainder, on both sides.
    let groups = greatestCommonDivisor(oldFiles.count, newFiles.count)
    for group in 0..<groups {
      let (oldParts, newParts) = (
        stride(from: group, to: oldFiles.count, by: groups),
        stride(from: group, to: newFiles.count, by: groups)
      )
      if oldFiles.count == newFiles.count, oldFiles[group].xxh64 == newFiles[group].xxh64,
        oldFiles[group].bytes == newFiles[group].bytes
      {
        counts.equal += newFiles[group].lines
        continue
      }
      try compare(oldParts.map { $0 }, newParts.map { $0 }, body)
    }
  }

  private mutating func compare(
    _ oldParts: [Int], _ newParts: [Int], _ body: ((ProfileChange) throws(Failure) -> Void)?
  ) throws(Failure) {
    func open(_ parts: [Int], of side: DiffSide) throws(Failure) -> [SortedRun] {
      try parts.map { part throws(Failure) in try side.run.part(part) }
    }
    var walk = try ProfileWalk(open(oldParts, of: old), open(newParts, of: new))
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

  private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
  }
}
