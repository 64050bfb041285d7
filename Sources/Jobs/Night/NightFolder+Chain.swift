package import Pipeline

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

  /// The place of a published night; nil when its manifest cannot be read.
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
  /// logs that has logs now. Logs that come after a later night had logs are late files of it.
  ///
  /// Nothing else changes by that, as such nights have the state of the night before them.
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

  /// Whether there are logs of that night that are not empty.
  ///
  /// - Throws: `io`, when that cannot be found out.
  package static func hasLogs(
    at path: String, _ options: ReadOptions, system: System = .real
  ) throws(Failure) -> Bool {
    try inputBytes(at: path, options, system: system) != 0
  }

  /// Bytes of the logs of that night; nil when that of one is unknown.
  ///
  /// - Throws: as ``hasLogs(at:_:system:)``.
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
