package import Pipeline

/// The outputs of all nights.
package struct NightFolder: Sendable {
  package let pattern: NightPattern
  private let system: System

  private static let doing = "looking at the nights in"

  /// The nights whose outputs have paths of that pattern.
  package init(_ pattern: NightPattern, system: System = .real) {
    (self.pattern, self.system) = (pattern, system)
  }

  /// Beside the nights: the link to the newest one.
  package var link: String { "\(pattern.base)/current" }

  private static let lockName = "eventmill-night"

  /// Checks that the directory above all nights, and that above their logs, are there.
  ///
  /// - Throws: `io`, when one is not.
  package func check(logs: NightPattern) throws(Failure) {
    for (what, base) in [("logs", logs.base), ("outputs", pattern.base)] {
      guard try system.statusIfAny(of: base, doing: Self.doing)?.kind == .directory else {
        throw Failure(
          .io, doing: "finding the \(what) of the nights", path: base,
          why: "there is no such directory",
          advice: "is its disk mounted? If there never was one: mkdir -p \(base)")
      }
    }
    try system.checkLink(link, doing: Self.doing)
  }

  /// Keeps every other `night` away from these until the lock is released.
  ///
  /// - Throws: `locked`, when one is at work; `io`.
  package func lock() throws(Failure) -> DirectoryLock {
    do throws(Failure) {
      return try DirectoryLock(OutputPath("\(pattern.base)/\(Self.lockName)"), system: system)
    } catch {
      guard error.kind == .locked else { throw error }
      throw Failure(
        .locked, doing: "locking the nights in", path: pattern.base,
        why: error.why.replacing("another run", with: "another eventmill night"),
        advice: "wait for it to end")
    }
  }

  /// The nights that are published, the oldest first.
  ///
  /// - Throws: `io`.
  package func published() throws(Failure) -> [Day] {
    var nights: [Day] = []
    for day in try pattern.days(system, doing: Self.doing) {
      let kind = try ManifestFile.kind(of: path(of: day), doing: Self.doing, system: system)
      if kind == .output { nights.append(day) }
    }
    return nights
  }

  /// Where a night is, or will be.
  package func path(of day: Day) -> String { pattern.path(of: day) }

  /// Sees to it that a night can be made: that there are the directories above it, and nothing of
  /// its name but perhaps an empty directory.
  ///
  /// - Throws: `usage`, when there is something; `io`.
  package func prepare(_ day: Day) throws(Failure) {
    let path = path(of: day)
    let doing = "making the night"
    if let kind = try system.statusIfAny(of: path, doing: doing)?.kind {
      guard kind == .directory, try system.names(in: path, doing: doing).isEmpty else {
        throw Failure(
          .usage, doing: doing, path: path,
          why: "there is something of that name that is not an output of eventmill",
          advice: "move it away, and run again")
      }
    }
    try system.makeDirectories(try OutputPath(path).parent, doing: doing)
  }

  /// Has the link beside the nights lead to one of them, in one step.
  ///
  /// - Throws: `usage`, when something else has its name; `io`.
  package func makeCurrent(_ day: Day) throws(Failure) {
    let base = pattern.base
    var target = path(of: day).utf8[...]
    if base != ".", target.starts(with: base.utf8) {
      target = target.dropFirst(base.utf8.count).drop { $0 == UInt8(ascii: "/") }
    }
    try system.replaceLink(
      link, to: String(Substring(target)), doing: "linking the newest night to")
  }

  /// Puts a night that is damaged aside, so that it is made again.
  ///
  /// - Returns: where it is now.
  /// - Throws: `io`.
  package func putAside(_ day: Day) throws(Failure) -> String {
    let path = path(of: day)
    var number = 1
    var bad = "\(path).bad"
    while try system.statusIfAny(of: bad, doing: Self.doing) != nil {
      number += 1
      bad = "\(path).bad-\(number)"
    }
    try system.move(path, to: bad, doing: "putting a damaged night aside,")
    return bad
  }
}

// MARK: - Retention

extension NightFolder {
  /// What became of a night that is too old.
  package enum Removal: Sendable, Equatable {
    case removed
    /// It stays, for that reason.
    case stays(String)
  }

  /// The nights that go, the oldest first: those that are not kept, but for what the newest night
  /// continues from. Of those that are not there yet nothing is known.
  package func expired(_ retention: Retention, of nights: [Day]) -> [Day] {
    let kept = retention.kept(of: nights)
    let expired = nights.filter { !kept.contains($0) }.sorted()
    guard let newest = nights.max(), !expired.isEmpty,
      let base = ManifestFile.output(at: path(of: newest), system)?.previousState
    else { return expired }
    // A night without logs has the state of the one before: of several it is the newest.
    let source = nights.sorted(by: >).dropFirst().first { day in
      (try? PreviousRun(path(of: day), system: system).stateHashes) == base
    }
    return expired.filter { $0 != source }
  }

  /// Removes a night if it holds nothing but what this program has made. It is renamed first, so
  /// that half a night is never taken for a whole one.
  ///
  /// - Throws: `io`.
  package func remove(_ day: Day) throws(Failure) -> Removal {
    let path = path(of: day)
    let hidden = "\(pattern.base)/\(Self.removedPrefix)\(day.text)"
    let doing = "removing the night"
    let own = try OwnFiles(ofOutput: path, doing: doing, system: system)
    if let refusal = own.refusal { return .stays("it \(refusal)") }
    do throws(Failure) {
      try system.require(own, in: path, doing: doing)
    } catch {
      guard error.kind == .usage else { throw error }
      return .stays(error.why)
    }
    try system.move(path, to: hidden, doing: doing)
    try system.remove(own, from: hidden, doing: doing)
    return .removed
  }

  private static let removedPrefix = ".removed-"

  /// Removes what is left of nights whose removal was interrupted.
  ///
  /// - Throws: `io`; `usage`, when something else has such a name.
  package func finishRemovals() throws(Failure) {
    let doing = "removing what is left of a night,"
    for name in try system.names(in: pattern.base, doing: Self.doing)
    where name.hasPrefix(Self.removedPrefix) {
      let path = "\(pattern.base)/\(name)"
      try system.remove(
        try OwnFiles(ofOutput: path, doing: doing, system: system), from: path, doing: doing)
    }
  }
}
