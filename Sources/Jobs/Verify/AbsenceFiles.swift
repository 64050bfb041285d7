import Pipeline
import Stages

extension Verification {
  /// Looks through everything in which an absent person may be named.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func checkAbsence(of ids: AbsentIDs, _ manifest: ManifestFile) throws(Failure) {
    let partitions = manifest.option("partitions")?.int ?? 0
    guard 1...StateHeader.maximumPartitions ~= partitions else { return }
    let keys = manifest.identityKeys
    for partition in 0..<partitions {
      let profiles = RunFiles.part(partition, of: partitions, in: RunFiles.profiles)
      try files.look(through: profiles, for: ids, .profiles, keys)
      let state = RunFiles.part(partition, of: partitions, in: RunFiles.state)
      try files.look(through: state, for: ids, .state, keys)
    }
    try files.look(through: RunFiles.totals, for: ids, .totals, keys)
    try files.look(through: RunFiles.rejects, for: ids, .rejects, keys)
    try files.lookIntoTexts(for: ids, manifest)
  }
}

extension ManifestFile {
  /// The names under which foreign dialects have ids.
  var identityKeys: IdentityKeys {
    option("identity_keys")?.text.flatMap { IdentityKeys($0) } ?? .default
  }
}

/// Where the bytes of an id that should be absent stand as something else: nothing is wrong with
/// it, and whoever asks should know.
package struct AbsentElsewhere: Equatable, Sendable {
  /// Path in the output.
  package let file: String
  /// As what they stand there.
  package let what: String
  /// In how many lines.
  package let lines: Int

  /// Place and sentence, for people.
  package var message: String { "\(file): \(Figures.grouped(lines)) lines have its bytes \(what)" }
}

extension AbsenceCheck.Lines {
  /// As what the bytes of an id may stand in such lines.
  fileprivate var others: String {
    switch self {
    case .profiles, .state: "as a value of another person, or as a name of an attribute or event"
    case .rejects: "as a name of a file or an attribute, or as a number"
    case .totals: "as a name of an attribute or event"
    }
  }
}

extension VerifiedFiles {
  /// Looks through the lines of a file. One that is damaged is told elsewhere.
  ///
  /// - Throws: what the job was cancelled with; `limit`, because nothing else tells of it.
  mutating func look(
    through path: String, for ids: AbsentIDs, _ lines: AbsenceCheck.Lines, _ keys: IdentityKeys
  ) throws(Failure) {
    let lanes = FrameLane.lanes(jobs) { AbsenceCheck(ids, in: lines, keys) }
    var found = ProblemList()
    _ = try ifReadable { () throws(Failure) in
      try FrameWalk(output: output, path: path, control: control).run(lanes, problems: &found)
    }
    problems.add(found)
    note(path, lines.others, lanes.reduce(0) { $0 + $1.use { $0.check.others } })
  }

  /// Looks through what stands beside the logs of an archive or of a redrive.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func lookBeside(logs ids: AbsentIDs?, _ manifest: ManifestFile) throws(Failure) {
    guard let ids else { return }
    try look(through: RunFiles.rejects, for: ids, .rejects, manifest.identityKeys)
    try lookIntoTexts(for: ids, manifest)
  }

  private mutating func note(_ path: String, _ what: String, _ lines: Int) {
    if lines > 0 { elsewhere.append(AbsentElsewhere(file: path, what: what, lines: lines)) }
  }

  /// Looks into the files that are no frames: reports, losses, counts, and the manifest.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func lookIntoTexts(
    for ids: AbsentIDs, _ manifest: ManifestFile
  ) throws(Failure) {
    let report = AbsenceReport(ids, files: manifest.inputs.map(\.path))
    let document = try ifReadable { () throws(Failure) in
      try JSONDocument(reading: "\(output)/\(RunFiles.report)", doing: FrameWalk.doing)
    }
    if let document {
      report.look(into: document.root)
      if report.namesAbsent { problems.add(RunFiles.report, .holdsAbsent) }
      note(RunFiles.report, "as a name of a file, an attribute or event", report.others)
    }
    for name in RunFiles.reports where name.hasSuffix(".html") {
      guard let text = try text(name) else {
        // The manifest does not list the page: nothing else reads it.
        if try System.real.statusIfAny(of: "\(output)/\(name)", doing: FrameWalk.doing) != nil {
          problems.add(name, .mayHoldAbsent)
        }
        continue
      }
      let check = AbsenceCheck(ids, in: .rejects, manifest.identityKeys)
      if report.namesAbsent(inPage: text.view, isLine: check.isInLine) {
        problems.add(name, .holdsAbsent)
      }
    }
    if let text = try text(ArchiveFiles.losses) {
      var cursor = LineCursor(bytes: text.view)
      var others = 0
      while let line = cursor.next() {
        guard ids.holds(text[line]), let document = try? JSONDocument(text[line]) else { continue }
        let found = AbsenceReport(ids, files: [])
        found.look(into: document.root)
        if found.namesAbsent {
          problems.add(ArchiveFiles.losses, .holdsAbsent)
        } else {
          others += 1
        }
      }
      note(ArchiveFiles.losses, "as a name of a file or an attribute", others)
    }
    for name in [RunFiles.countsJSON, RunFiles.countsCSV, RunFiles.manifest] {
      guard let text = try text(name) else { continue }
      var cursor = LineCursor(bytes: text.view)
      var others = 0
      while let line = cursor.next() {
        if ids.holds(text[line]) { others += 1 }
      }
      note(name, "as a name of an event or a file", others)
    }
  }

  /// The content of a file; nil when there is none, which is told elsewhere.
  private func text(_ name: String) throws(Failure) -> ByteBuffer? {
    try ifReadable { () throws(Failure) in
      let file = try PositionedFile("\(output)/\(name)", doing: FrameWalk.doing)
      var bytes = ByteBuffer(capacity: file.size)
      try file.read(0..<file.size, into: &bytes)
      if bytes.count > 0, bytes[bytes.count - 1] != 0x0A { bytes.append(0x0A) }
      return bytes
    }
  }

  /// What `body` makes of a file; nil when that cannot be read, which is told elsewhere.
  private func ifReadable<Value: ~Copyable>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    do throws(Failure) {
      return try body()
    } catch {
      try control.check()
      if error.kind == .limit { throw error }
      return nil
    }
  }
}
