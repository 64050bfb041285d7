package import Pipeline

/// The outputs of all nights.
package struct NightFolder: Sendable {
  package let pattern: NightPattern
  let system: System

  static let doing = "inspecting the nights in"
  private static let making = "making the night"

  package init(_ pattern: NightPattern, system: System = .real) {
    (self.pattern, self.system) = (pattern, system)
  }

  /// Beside the nights: the link to the newest one.
  package var link: String { "\(pattern.base)/\(Self.linkName)" }
  private static let linkName = "current"

  /// Whether an entry of the directory above all nights has the name of the link, of a night, or of
  /// what is beside one.
  package func needs(_ name: String) -> Bool {
    let visible = String(name.drop { $0 == "." })
    return name == Self.linkName
      || pattern.begins(visible, before: visible == name ? [".rejected", ".bad"] : [""])
  }

  private static let lockName = "eventmill-night"

  /// Checks that the directory above all nights, and that above their `logs`, exist.
  package func check(logs: NightPattern? = nil) throws(Failure) {
    for (what, base) in [("logs", logs?.base ?? "."), ("outputs", pattern.base)] {
      guard try system.statusIfAny(of: base, doing: Self.doing)?.kind == .directory else {
        let obstacle = try system.obstacle(to: base)
        throw Failure(
          .io, doing: "finding the \(what) of the nights", path: base,
          why: obstacle.map { "\($0) is not a directory" } ?? "it does not exist",
          advice: "is its disk mounted?"
            + (obstacle == nil ? " If there never was one: \(base.mkdir)" : ""))
      }
    }
    try system.checkLink(link, doing: Self.doing)
  }

  /// Excludes every other `night` until the lock is released; removes what dead ones left.
  package func lock() throws(Failure) -> DirectoryLock {
    let lock: DirectoryLock
    do throws(Failure) {
      lock = try DirectoryLock(OutputPath("\(pattern.base)/\(Self.lockName)"), system: system)
    } catch {
      guard error.kind == .locked else { throw error }
      throw Failure(
        .locked, doing: "locking the nights in", path: pattern.base,
        why: error.why.replacing("another run", with: "another eventmill night"),
        advice: "wait for it to end")
    }
    try clearLeftovers()
    return lock
  }

  package func published() throws(Failure) -> [Day] {
    var nights: [Day] = []
    for day in try pattern.days(system, doing: Self.doing) {
      let kind = try Manifest.kind(of: path(of: day), doing: Self.doing, system: system)
      if kind == .output { nights.append(day) }
    }
    return nights
  }

  package func path(of day: Day) -> String { pattern.path(of: day) }

  /// Checks that a night can be made: its path does not exist or is an empty directory.
  package func checkFree(_ day: Day) throws(Failure) {
    let path = path(of: day)
    if let kind = try system.statusIfAny(of: path, doing: Self.making)?.kind {
      guard kind == .directory, try system.names(in: path, doing: Self.making).isEmpty else {
        throw Failure(
          .usage, doing: Self.making, path: path,
          why: "there is something of that name that is not an output of eventmill",
          advice: "move it away, and run again")
      }
    }
  }

  /// Checks that a night can be made, and creates the directories above it.
  package func prepare(_ day: Day) throws(Failure) {
    try checkFree(day)
    try system.makeDirectories(try OutputPath(path(of: day)).parent, doing: Self.making)
  }

  /// Whether the link beside the nights points to that night, so that it needs no verification.
  package func isCurrent(_ day: Day) throws(Failure) -> Bool {
    let current = try system.statusIfAny(of: link, doing: Self.doing)?.identity
    let night = try system.statusIfAny(of: path(of: day), doing: Self.doing)?.identity
    return current != nil && current == night
  }

  /// Makes the link beside the nights point to one of them, atomically.
  package func makeCurrent(_ day: Day) throws(Failure) {
    let base = pattern.base
    var target = path(of: day).utf8[...]
    if base != ".", target.starts(with: base.utf8) {
      target = target.dropFirst(base.utf8.count).drop { $0 == UInt8(ascii: "/") }
    }
    try system.replaceLink(
      link, to: String(Substring(target)), doing: "linking the newest night to")
  }
}

// MARK: - Retention

extension NightFolder {
  /// The expired nights, the oldest first, each with the reason why it is kept anyway, if any. The
  /// night that a kept one continues from is not expired, so that the kept one can be redone.
  /// Nights in `planned` count as published after all others; those in `empty` will have no logs.
  /// Complexity: reads each manifest at most twice, and the names in old nights.
  package func expired(
    _ retention: Retention, of published: [Day], and planned: [Day] = [], empty: Set<Day> = []
  ) throws(Failure) -> [(day: Day, refusal: String?)] {
    let nights = published.sorted() + planned
    if retention.kept(of: nights).count == nights.count { return [] }
    let new = Set(planned)
    let links = nights.map { new.contains($0) ? nil : link(of: $0) }
    let withoutLogs = zip(nights, links).filter { day, link in
      link?.isEmpty ?? empty.contains(day)
    }
    let kept = retention.kept(of: nights, empty: Set(withoutLogs.map(\.0)))
    let bases = bases(of: kept, among: nights, links)
    return try nights.filter { !kept.contains($0) && !bases.contains($0) }
      .map { day throws(Failure) in
        (day, new.contains(day) ? nil : try refusal(toRemove: day))
      }
  }

  /// The nights that those in `kept` continue from; `nights` are sorted.
  private func bases(of kept: Set<Day>, among nights: [Day], _ links: [Link?]) -> Set<Day> {
    var bases: Set<Day> = []
    // A night without logs has the state of the previous one: of several it is the newest.
    var newest: [[UInt64]: Day] = [:]
    for (index, (day, link)) in zip(nights, links).enumerated() {
      if kept.contains(day) {
        // For a night that does not exist yet or is unreadable, it is the previous one.
        let base = link.map { newest[$0.previous] } ?? nights[..<index].last
        if let base { bases.insert(base) }
      }
      if let link { newest[link.state] = day }
    }
    return bases
  }

  private static let removing = "removing the night"

  /// Why a night must not be removed: it contains files that this program did not make.
  private func refusal(toRemove day: Day) throws(Failure) -> String? {
    let path = path(of: day)
    let own = try OwnFiles(published: .output, at: path, doing: Self.removing, system: system)
    if let refusal = own.refusal { return "it \(refusal)" }
    do throws(Failure) {
      try system.require(own, in: path, doing: Self.removing)
      return nil
    } catch {
      guard error.kind == .usage else { throw error }
      return error.why
    }
  }

  /// Removes nights, in this order, once all are known to be removable and `begin` has returned.
  /// Each is renamed first, so that a half-removed night is never mistaken for a complete one.
  /// - Throws: `usage`, when one contains files that this program did not make; `io`.
  package func remove(_ days: [Day], begin: () throws(Failure) -> Void = {}) throws(Failure) {
    let nights = try days.map { day throws(Failure) in
      let path = path(of: day)
      let own = try OwnFiles(published: .output, at: path, doing: Self.removing, system: system)
      try system.require(own, in: path, doing: Self.removing)
      // Beside it: the base of all nights may be on another file system.
      return (path, own, "\(try OutputPath(path).parent)/\(Self.removedPrefix)\(day.text)")
    }
    try begin()
    for (path, own, hidden) in nights {
      clearLeftovers(beside: path)
      try system.move(path, to: hidden, doing: Self.removing)
      try system.remove(own, from: hidden, doing: Self.removing)
    }
  }

  private static let removedPrefix = ".removed-"

  /// What holds foreign files stays, and is an error when the night is made. So does what the night
  /// was before it was replaced, if it is gone: then it may be all that is left of it.
  private func clearLeftovers(beside path: String) {
    let isThere = (try? system.statusIfAny(of: path, doing: Self.doing)) != nil
    try? StagedDirectory.clear(path, .of(.output), earlier: isThere, system)
  }

  /// Removes what dead runs left beside nights, also those that are gone, and the rest of nights
  /// whose removal was interrupted.
  private func clearLeftovers() throws(Failure) {
    let locks = (try? OutputPath(pattern.source)).flatMap { try? NightPattern($0.lock) }
    for day in try locks?.days(system, doing: Self.doing) ?? [] {
      clearLeftovers(beside: path(of: day))
    }
    let doing = "removing what is left of a night,"
    // Earlier versions have renamed nights to the base.
    for parent in Set(try pattern.parents(system, doing: Self.doing) + [pattern.base]) {
      for name in try system.names(in: parent, doing: Self.doing)
      where name.hasPrefix(Self.removedPrefix) {
        let path = "\(parent)/\(name)"
        try system.remove(
          try OwnFiles(published: .output, at: path, doing: doing, system: system), from: path,
          doing: doing)
      }
    }
  }
}

/// How the nights continue each other.
extension NightFolder {
  /// What the manifest of a night records about its place in the chain.
  struct Link {
    /// The hashes of its state.
    let state: [UInt64]
    /// Those of the state that it continues; empty for the first night.
    let previous: [UInt64]
    /// Whether it was made without logs, and its state is that of the night before: it is not if,
    /// for example, people were erased that night.
    let isEmpty: Bool
  }

  func link(of day: Day) -> Link? {
    guard let run = try? Output(path(of: day), system: system) else { return nil }
    let (manifest, state) = (run.manifest, run.stateHashes)
    let previous = manifest.previousState
    let isSame =
      previous.isEmpty ? manifest.options[RunOptions.eraseOption] == nil : state == previous
    return Link(
      state: state, previous: previous,
      isEmpty: isSame && manifest.inputs.allSatisfy { $0.facts.bytes == 0 }
        && manifest.alreadyRead.isEmpty)
  }

  /// The night to make again, with all later ones: the oldest of the newest nights made without
  /// logs that has logs now. Nothing else changes by that, as such nights have the state of the
  /// night before them. Logs that come after a later night had logs are late files of it.
  package func outdated(
    among published: [Day], hasLogs: (Day) throws(Failure) -> Bool
  ) throws(Failure) -> Day? {
    let nights = published.sorted()
    var oldest: Day?
    for (index, day) in nights.enumerated().reversed() {
      guard let link = link(of: day), link.isEmpty,
        link.previous == (index > 0 ? self.link(of: nights[index - 1])?.state : [])
      else { break }
      if try hasLogs(day) { oldest = day }
    }
    return oldest
  }

  /// Those of the nights from `first` on that were made without logs.
  package func empty(among published: [Day], from first: Day) -> Set<Day> {
    Set(published.filter { $0 >= first && link(of: $0)?.isEmpty ?? false })
  }

  /// Whether no night was before this one; false if that is unknown.
  package func isFirst(_ day: Day) -> Bool { link(of: day)?.previous.isEmpty ?? false }

  package static func hasLogs(
    at path: String, _ options: ReadOptions, system: System = .real
  ) throws(Failure) -> Bool { try inputBytes(at: path, options, system: system) != 0 }

  /// Bytes of the logs of that night; nil when that of one is unknown.
  package static func inputBytes(
    at path: String, _ options: ReadOptions, system: System = .real
  ) throws(Failure) -> Int? {
    guard try system.statusIfAny(of: path, doing: doing) != nil else { return 0 }
    let sizes = try InputDiscovery.surveyLogs(
      [path], allowEmpty: true, rules: options.recognition, system: system
    ).inputs.map(\.size)
    return sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
  }
}
