package import Pipeline
import Stages

/// A published night with damaged files.
package struct DamagedNight: Sendable {
  package let day: Day
  /// What is damaged: the end of a sentence "it is damaged: …".
  package let why: String

  package init(_ day: Day, why: String) { (self.day, self.why) = (day, why) }
}

/// Damaged nights are made again from the night before them.
extension NightFolder {
  private static let continuing = "continuing from the night"
  private static let inspecting = "inspecting a damaged night,"
  private static let restore = "restore it from a copy"

  /// The damage of a night that a failure reports; nil for other failures, and for another version.
  package func damage(of day: Day, in failure: Failure) -> DamagedNight? {
    let path = path(of: day)
    guard failure.kind == .corrupt, let file = failure.path,
      file == path || file.hasPrefix("\(path)/")
    else { return nil }
    let root = try? JSONDocument(
      reading: "\(path)/\(RunFiles.manifest)", doing: Self.inspecting, system: system
    ).root
    let version = root.flatMap(OutputKind.output.version)
    guard version == nil || version == Manifest.formatVersion else { return nil }
    let part = file == path ? "" : "\(file.dropFirst(path.count + 1)): "
    return DamagedNight(day, why: part + failure.why)
  }

  /// The damage of a night that the one after it would find.
  package func damage(of day: Day, jobs: Int, maxNames: Int) throws(Failure) -> DamagedNight? {
    do throws(Failure) {
      let run = try Output(path(of: day), system: system)
      _ = try run.totals(RunNames(limit: maxNames))
      try run.checkFrames(jobs: jobs)
      return nil
    } catch {
      guard let damaged = damage(of: day, in: error) else { throw error }
      return damaged
    }
  }

  /// The nights, the oldest first, whose other files show that they have lost their manifests.
  package func unlisted() throws(Failure) -> [DamagedNight] {
    var nights: [DamagedNight] = []
    for day in try pattern.days(system, doing: Self.doing) {
      let path = path(of: day)
      guard try system.statusIfAny(of: path, doing: Self.doing)?.kind == .directory,
        try Manifest.kind(of: path, doing: Self.doing, system: system) == nil,
        case let names = try system.names(in: path, doing: Self.doing),
        Manifest.unlistedKind(of: names) == .output
      else { continue }
      let why = names.contains(RunFiles.manifest) ? "it is not that of an output" : "it is missing"
      nights.append(DamagedNight(day, why: "\(RunFiles.manifest): \(why)"))
    }
    return nights
  }

  /// Checks that a damaged night would become what it was, if it were made again.
  /// - Returns: the path that it is moved to.
  /// - Throws: `corrupt`, with the remedy, when it would not; `io`.
  package func checkRemade(
    _ damaged: DamagedNight, logs: NightPattern, maxNames: Int
  ) throws(Failure) -> String {
    let day = damaged.day
    let base = try published().last { $0 < day }
    guard let (why, advice) = try obstacle(to: day, after: base, logs, maxNames) else {
      return try freeAside(day)
    }
    throw Failure(
      .corrupt, doing: Self.continuing, path: path(of: day),
      why: "it is damaged: \(damaged.why); it is not made again, because \(why)", advice: advice)
  }

  /// Moves a damaged night aside, and all later ones away, which must be made again anyway
  /// (``outdated(among:hasLogs:)``), so that it is the next one to make. The link to the newest
  /// night leads to the one before it meanwhile: readers find that undamaged.
  /// - Returns: its new path.
  package func putAside(
    _ damaged: DamagedNight, logs: NightPattern, maxNames: Int
  ) throws(Failure) -> String {
    let day = damaged.day
    let aside = try checkRemade(damaged, logs: logs, maxNames: maxNames)
    let published = try published()
    if let base = published.last(where: { $0 < day }) { try makeCurrent(base) }
    try remove(published.filter { $0 > day }.reversed())
    try system.move(path(of: day), to: aside, doing: "putting a damaged night aside,")
    return aside
  }

  /// Why a damaged night would not become what it was, made again after `base`; and what to do.
  private func obstacle(
    to day: Day, after base: Day?, _ logs: NightPattern, _ maxNames: Int
  ) throws(Failure) -> (why: String, advice: [String])? {
    let (path, inputs) = (path(of: day), logs.path(of: day))
    let found = try files(at: inputs)
    let hasLogs = found.contains { $0.size != 0 }
    let again =
      (hasLogs ? "" : "restore its logs in \(inputs), ")
      + "move it away and run again: it will be made from "
      + (base.map { "\(self.path(of: $0)) and " } ?? "") + inputs
    let anyway = base == nil ? "\(again), with --from-night \(day.text)" : again
    let forgets = [
      Self.restore, "\(anyway); then erase again who was erased since the night before",
    ]
    guard let run = try? Output(path, system: system) else {
      return ("its manifest cannot be read", forgets)
    }
    let isNext = base.map { $0.advanced(by: 1) == day } ?? false
    guard isNext || run.manifest.previousState == base.flatMap(link(of:))?.state ?? [] else {
      return ("the night that it continues from is gone", [Self.restore])
    }
    let (gone, changed) = try differences(of: run.manifest.inputs, among: found)
    for (paths, word) in [(gone, "gone"), (changed, "not what it has read")] {
      guard let first = paths.first else { continue }
      let others = paths.count > 1 ? " and \(paths.count - 1) more of its logs are" : " is"
      return ("\(first)\(others) \(word)", [Self.restore, "restore its logs and run again"])
    }
    let report = try? JSONDocument(
      reading: "\(path)/\(RunFiles.report)", doing: Self.inspecting, system: system)
    // Erased everywhere, as with `erase --nights`, is not forgotten.
    guard let report, report.isSealed, report.root["erasures"] == nil else {
      let marks = (try? run.totals(RunNames(limit: maxNames)))?.erasures
      let before = try base.map { day throws(Failure) in
        try Output(self.path(of: day), system: system)
          .totals(RunNames(limit: maxNames)).erasures
      }
      return marks != nil && marks == before ?? Erasures()
        ? nil : ("people may have been erased from it since the night before", forgets)
    }
    return nil
  }

  /// The logs at the path; none if it does not exist.
  private func files(at logs: String) throws(Failure) -> [InputFile] {
    guard try system.statusIfAny(of: logs, doing: Self.inspecting) != nil else { return [] }
    return try InputDiscovery.surveyLogs([logs], allowEmpty: true, system: system).inputs
  }

  /// The inputs that are gone, and those that do not begin with what was read.
  private func differences(
    of inputs: [ManifestInput], among logs: [InputFile]
  ) throws(Failure) -> (gone: [String], changed: [String]) {
    let found = Dictionary(grouping: logs) { InputFile.stem(of: $0.path) }
    var (gone, changed): ([String], [String]) = ([], [])
    for input in inputs where input.facts.bytes > 0 {
      var files = found[InputFile.stem(of: input.path)] ?? []
      if files.isEmpty, let status = try system.statusIfAny(of: input.path, doing: Self.inspecting)
      {
        files = [InputFile(path: input.path, size: status.size)]
      }
      if files.isEmpty {
        gone.append(input.path)
      } else if let content = input.content, content.hasLines,
        try !begins(files, with: content, isLost: input.isLost)
      {
        changed.append(input.path)
      }
    }
    return (gone, changed)
  }

  /// Whether one of the files begins with the content.
  private func begins(
    _ files: [InputFile], with content: ContentFacts, isLost: Bool
  ) throws(Failure) -> Bool {
    for file in files {
      let scan = try ContentScan(file, known: KnownContents([(content, false)]), system: system) {}
      if let fault = scan.fault, !isLost { throw fault }
      if scan.content == content || scan.beginnings.contains(where: { $0.content == content }) {
        return true
      }
    }
    return false
  }

  /// The endings of damaged copies of a night. More would be damaged, too, and fill the disk.
  private static let asides = [".bad", ".bad.2", ".bad.3"]
  /// The endings of what failed runs and damaged nights leave beside an output.
  private static let leftovers = [".rejected"] + asides

  /// What is left of runs and nights beside the output `path`.
  package static func leftovers(
    of path: String, system: System = .real
  ) throws(Failure) -> [String] {
    let path = (try? OutputPath(path))?.path ?? path
    return try existing(leftovers.map { path + $0 }, system)
  }

  /// The same of all nights, published or not.
  package func leftovers() throws(Failure) -> [String] {
    var paths: [String] = []
    for ending in Self.leftovers {
      guard let pattern = try? NightPattern(pattern.source + ending) else { continue }
      paths += try pattern.days(system, doing: Self.doing).map(pattern.path)
    }
    return try Self.existing(paths, system)
  }

  private static func existing(_ paths: [String], _ system: System) throws(Failure) -> [String] {
    var existing: [String] = []
    for path in paths where try system.statusIfAny(of: path, doing: doing) != nil {
      existing.append(path)
    }
    return existing
  }

  private func freeAside(_ day: Day) throws(Failure) -> String {
    let asides = Self.asides.map { path(of: day) + $0 }
    for aside in asides
    where try system.statusIfAny(of: aside, doing: Self.inspecting) == nil { return aside }
    throw Failure(
      .io, doing: "putting a damaged night aside,", path: path(of: day),
      why: "it was damaged before: \(asides.joined(separator: ", "))",
      advice: "check the disk and the memory of this machine, and see what eventmill verify "
        + "\(asides[0]) prints; then remove these directories, and run again")
  }
}
