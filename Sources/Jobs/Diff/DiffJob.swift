package import Pipeline
package import Stages

/// Compares the published files of two outputs (`eventmill diff`): totals, event names, counts by
/// day, attribute names, profiles, rejects by reason (docs/reference/file-formats.md), but not
/// their states, nor the dialects and source names of events.
package struct DiffJob {
  private let old: String
  private let new: String
  let control: JobControl

  package init(_ old: String, _ new: String, control: JobControl) {
    (self.old, self.new, self.control) = (old, new, control)
  }

  /// Compares the outputs; calls `body`, if there is one, with each profile that differs, part by
  /// part in key order.
  ///
  /// Complexity: files that both have are only compared with their manifests; of other profiles,
  /// frames that both have are read and not decoded. If a type of value may have been added to an
  /// attribute, or removed, the profiles are read again until it is found.
  /// - Throws: `usage`, when a directory is not an output; `corrupt`, `io`; what `body` throws.
  package func run(
    _ body: ((ProfileChange) throws(Failure) -> Void)? = nil
  ) throws(Failure) -> DiffOutcome {
    let sides = (try DiffSide(old, control), try DiffSide(new, control))
    let attributes = AttributeComparison()
    let profiles = try compareProfiles(sides.0, sides.1, attributes, body)
    return DiffOutcome(
      totals: DiffSide.totals.map { ($0.name, Change($0.count(sides.0), $0.count(sides.1))) },
      events: EventChange.all(from: sides.0.events, to: sides.1.events),
      days: DailyChanges(from: sides.0.days, to: sides.1.days),
      attributes: try attributes.finish(sides.0, sides.1, control), profiles: profiles,
      rejects: try rejects(sides.0, sides.1))
  }

  /// The number of rejects for each reason that differs, in byte order of the codes.
  private func rejects(
    _ old: DiffSide, _ new: DiffSide
  ) throws(Failure) -> [(code: String, count: Change)] {
    // Files with the same hash are read once.
    let before = try old.countReasons(control)
    let after = old.rejects.xxh64 == new.rejects.xxh64 ? before : try new.countReasons(control)
    return before.joined(with: after).map { ($0.key, Change($0.old ?? 0, $0.new ?? 0)) }
      .filter(\.1.isChange)
  }
}

package struct Change: Equatable, Sendable {
  package let old: Int
  package let new: Int

  init(_ old: Int, _ new: Int) { (self.old, self.new) = (old, new) }

  package var isChange: Bool { old != new }
  package var difference: Int { new - old }
  /// `+12`, `−3` or `±0`.
  package var text: String {
    (difference > 0 ? "+" : difference < 0 ? "−" : "±") + NumberFormat.grouped(abs(difference))
  }
}

package struct DiffOutcome {
  package let totals: [(name: String, count: Change)]
  /// The event names that differ, sorted by bytes.
  package let events: [EventChange]
  /// The counts by day; nil if neither output has them.
  package let days: DailyChanges?
  /// The attributes that were added or removed, or have values of other types, sorted by bytes.
  package let attributes: [AttributeChange]
  package let profiles: ProfileCounts
  /// The reasons whose counts differ, sorted by bytes.
  package let rejects: [(code: String, count: Change)]

  package var isEqual: Bool {
    events.isEmpty && days?.isEqual != false && attributes.isEmpty && profiles.differing == 0
      && rejects.isEmpty && totals.allSatisfy { !$0.count.isChange }
  }
}

/// An event name that differs between both outputs.
package struct EventChange: Sendable {
  package let name: String
  /// The counts in each output; nil if it does not occur.
  package let old: EventFigures?
  package let new: EventFigures?

  package var count: Change { Change(old?.count ?? 0, new?.count ?? 0) }
  package var profiles: Change { Change(old?.profiles ?? 0, new?.profiles ?? 0) }

  /// Those of `old` and `new`, by name, that differ; sorted by bytes.
  static func all(
    from old: [String: EventFigures], to new: [String: EventFigures]
  ) -> [EventChange] {
    // Names are ASCII, whose characters sort like their bytes.
    old.joined(with: new).filter { $0.old != $0.new }
      .map { EventChange(name: $0.key, old: $0.old, new: $0.new) }
  }
}

/// The counts of an event name in an output.
package struct EventFigures: Equatable, Sendable {
  package let count: Int
  package let profiles: Int
  package let duplicates: Int
  /// In milliseconds since 1970; nil when none of the events has a time.
  package let firstSeen: Int?
  package let lastSeen: Int?

  init(_ total: StateTotal) {
    let seen = total.total.seen
    count = total.total.count
    profiles = total.profiles
    duplicates = total.total.duplicates
    firstSeen = seen.isNever ? nil : seen.first
    lastSeen = seen.isNever ? nil : seen.last
  }
}

extension DiffJob {
  /// Compares the published profiles of two outputs, whose numbers of parts may differ: calls
  /// `body` with each that differs, and adds it to `attributes`.
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
        for side in [old, new] {
          try control.check()
          _ = try side.run.file(side.profiles(group))
        }
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
        if let body {
          try body(ProfileChange(old: old.profile(before), new: new.profile(after)))
        }
      }
      counts.equal += walk.equalCount
    }
    return counts
  }

  private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
  }
}

extension Dictionary where Key: Comparable {
  /// The values of both dictionaries by key, sorted.
  func joined(with other: Self) -> [(key: Key, old: Value?, new: Value?)] {
    Set(keys).union(other.keys).sorted().map { (key: $0, old: self[$0], new: other[$0]) }
  }
}
