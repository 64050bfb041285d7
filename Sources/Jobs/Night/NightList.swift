package import Pipeline

/// What the report of a night says of it. Nothing else depends on it, so what it lacks is unknown.
package struct NightFigures: Sendable {
  package let ended: String?
  package let seconds: Double?
  package let lines: Int?
  package let linesWithRejects: Int?
  package let people: Int?
  package let verdict: Verdict.Level?
  package let reasons: [String]
  package let base: String?
  /// Files of earlier nights that it has read.
  package let late: [String]

  init(_ report: JSONValue? = nil) {
    ended = report?["run"]?["ended"]?.text
    seconds = report?["time"]?["seconds"].flatMap { Double($0) }
      .flatMap { (0..<1e9).contains($0) ? $0 : nil }
    lines = report?["ledger"]?["lines"]?["total"]?.count
    linesWithRejects = report?["rejects"]?["lines"]?.count
    people = report?["profiles"]?.count
    verdict = report?["verdict"]?["level"]?.text.flatMap(Verdict.Level.init)
    reasons = report?["verdict"]?["reasons"]?.items.compactMap(\.text) ?? []
    base = report?["night_before"]?["night"]?.text
    late = report?["earlier_folders"]?["late_files"]?.items.compactMap(\.text) ?? []
  }
}

/// A night of a chain, made or not.
package struct ListedNight: Sendable {
  package enum State: String, Sendable {
    case good
    case look = "check it"
    case bad, rejected, damaged, missing, running
    /// A later night continues from it, and it is not there any more.
    case removed
    /// Published, without a report that says more.
    case unknown
    /// Kept only because a night that is kept continues from it, or because it cannot be removed.
    case keptAsBase = "kept as a base"
  }

  package let day: Day
  /// The last one of those that are alike: missing or removed ones, one after the other.
  package fileprivate(set) var last: Day
  package var state: State
  /// Its fault, or the reason to keep it.
  package var why: String?
  package var figures = NightFigures()
  /// Bytes of the files that its manifest lists, and of its inputs.
  package var bytes: Int?
  package var inputBytes = 0
  /// What it has read, and what it skipped because an earlier night had read it.
  package var files: [NightFile] = []

  init(_ day: Day, _ state: State, why: String? = nil) {
    (self.day, last, self.state, self.why) = (day, day, state, why)
  }

  /// The nights that it stands for.
  package var count: Int { last.number - day.number + 1 }
}

package struct NightEstimate: Sendable {
  private static let nights = 7

  /// Seconds per byte of the inputs, and the shortest night.
  private let pace: (perByte: Double, least: Double)?
  /// Bytes of the largest output.
  package let bytes: Int?

  /// The estimate by the newest of `nights`, which are in order.
  package init(_ nights: [ListedNight]) {
    let known = nights.filter { $0.bytes != nil }.suffix(Self.nights)
    let timed = known.compactMap { night in night.figures.seconds.map { ($0, night.inputBytes) } }
    let bytes = timed.reduce(0) { $0 + $1.1 }
    pace = timed.map(\.0).min().flatMap { least in
      bytes > 0 ? (timed.reduce(0) { $0 + $1.0 } / Double(bytes), least) : nil
    }
    self.bytes = known.compactMap(\.bytes).max()
  }

  /// Seconds for inputs of so many bytes; nil without nights to go by.
  package func seconds(for inputs: Int) -> Double? {
    pace.map { max($0.least, $0.perByte * Double(inputs)) }
  }
}

/// A file that a night has met.
package struct NightFile: Sendable {
  package enum Outcome: String, Sendable {
    case read, skipped, lost
    /// Read from where an earlier night had ended.
    case grown
  }

  package let path: String
  package let outcome: Outcome
  package let lines: Int
}

extension NightFolder {
  /// All nights from the first published one to `last`, in order, with those that are missing.
  /// Complexity: reads a manifest, a report and the lengths of the files of each night, no data.
  package func list(upTo last: Day, _ retention: Retention) throws(Failure) -> [ListedNight] {
    try check()
    let published = try published()
    let damaged = try unlisted()
    let existing = Set(published + (try pattern.days(system, doing: Self.doing))).sorted()
    if existing.isEmpty { return [] }
    var refusals: [Day: String] = [:]
    for (day, refusal) in try expired(retention, of: published) { refusals[day] = refusal ?? "" }
    let kept = retention.kept(
      of: published, empty: published.isEmpty ? [] : empty(among: published, from: published[0]))
    let (isPublished, why) = (
      Set(published), Dictionary(damaged.map { ($0.day, $0.why) }) { first, _ in first }
    )
    var nights: [ListedNight] = []
    for day in existing {
      let before = nights.last?.day
      var night: ListedNight
      if let why = why[day] {
        night = ListedNight(day, .damaged, why: why)
      } else if isPublished.contains(day) {
        night = listed(day)
        if !kept.contains(day), refusals[day] != "" {
          let base = refusals[day] ?? "a night that is kept continues from it"
          if night.state == .good { night.state = .keptAsBase }
          night.why = ((night.why.map { [$0] } ?? []) + [base]).joined(separator: "; ")
        }
      } else {
        night = try unpublished(day)
      }
      if let before {
        // It continues from a night that is not there any more, as are those before that.
        let gap = max(before.number + 1, day.number - NightPlan.most)..<day.number
        let base = gap.last { number in
          RunStamp.name(of: path(of: day.advanced(by: number - day.number))) == night.figures.base
        }
        let missing = day.advanced(by: (base ?? before.number) + 1 - day.number)
        try add(
          nights[nights.count - 1].last.advanced(by: 1), before: missing, .removed, to: &nights)
        try add(missing, before: day, .missing, to: &nights)
      }
      nights.append(night)
    }
    try add(
      nights[nights.count - 1].day.advanced(by: 1), before: last.advanced(by: 1), .missing,
      to: &nights)
    return nights
  }

  /// Adds the nights from `first` up to the one before `end`, which are not there.
  private func add(
    _ first: Day, before end: Day, _ state: ListedNight.State, to nights: inout [ListedNight]
  ) throws(Failure) {
    guard first < end else { return }
    // More than `night` would make are not looked for one by one.
    let isLong = end.number - first.number > NightPlan.most
    for number in first.number..<(isLong ? first.number + 1 : end.number) {
      let day = first.advanced(by: number - first.number)
      var night = isLong ? ListedNight(day, state) : try unpublished(day)
      if night.state == .missing { night.state = state }
      if night.state == state, night.why == nil, let last = nights.last, last.state == state,
        last.last.advanced(by: 1) == day
      {
        nights[nights.count - 1].last = day
      } else {
        nights.append(night)
      }
    }
    if isLong { nights[nights.count - 1].last = end.advanced(by: -1) }
  }

  private func unpublished(_ day: Day) throws(Failure) -> ListedNight {
    let path = path(of: day)
    if let why = DirectoryLock.holder(of: try OutputPath(path), system) {
      return ListedNight(day, .running, why: why)
    }
    let rejected = "\(path).rejected"
    if try Manifest.kind(of: rejected, doing: Self.doing, system: system) == .rejected {
      var night = ListedNight(day, .rejected, why: "see \(rejected)")
      night.figures = figures(in: rejected)
      return night
    }
    do throws(Failure) {
      try checkFree(day)
    } catch { return ListedNight(day, .damaged, why: error.why) }
    return ListedNight(day, .missing)
  }

  private func listed(_ day: Day) -> ListedNight {
    let path = path(of: day)
    do throws(Failure) {
      let manifest = try Manifest(path, doing: Self.doing, system: system)
      for file in manifest.files {
        let status = try system.statusIfAny(of: "\(path)/\(file.path)", doing: Self.doing)
        guard status?.size == file.bytes else {
          return ListedNight(
            day, .damaged, why: "\(file.path) is \(status == nil ? "missing" : "of another length")"
          )
        }
      }
      var night = ListedNight(day, .unknown)
      night.figures = figures(in: path)
      // The words of a verdict are states.
      if let verdict = night.figures.verdict,
        let state = ListedNight.State(rawValue: verdict.rawValue)
      {
        night.state = state
      } else {
        night.why = "its report is missing, has no verdict, or was changed"
      }
      if !night.figures.reasons.isEmpty {
        night.why = night.figures.reasons.joined(separator: "; ")
      }
      night.bytes = manifest.files.reduce(0) { $0 + $1.bytes }
      night.inputBytes = manifest.inputs.reduce(0) { $0 + $1.facts.bytes }
      night.files =
        manifest.inputs.map { input in
          NightFile(
            path: input.path, outcome: input.isLost ? .lost : input.start == nil ? .read : .grown,
            lines: input.lines)
        } + manifest.alreadyRead.map { NightFile(path: $0.path, outcome: .skipped, lines: 0) }
      return night
    } catch { return ListedNight(day, .damaged, why: error.why) }
  }

  package func verdict(of day: Day) -> Verdict.Level? { figures(in: path(of: day)).verdict }

  /// Those of the report in the directory `path`, if it is as it was written.
  private func figures(in path: String) -> NightFigures {
    let report = try? JSONDocument(
      reading: "\(path)/\(RunFiles.report)", doing: Self.doing, system: system)
    return NightFigures(report.flatMap { $0.isSealed ? $0.root : nil })
  }
}
