import Pipeline
import Stages

extension Manifest {
  /// The names under which foreign dialects have ids.
  var identityKeys: IdentityKeys {
    options["identity_keys"]?.text.flatMap { IdentityKeys($0) } ?? .default
  }

  /// The texts that it did not take for ids.
  var placeholders: Placeholders {
    options["nobody"]?.text.map { Placeholders.recorded($0) } ?? .standard
  }
}

/// The bytes of an id that should be absent, used as something else, or a similar id. Not a
/// problem, but reported for information.
package struct AbsentElsewhere: Equatable, Sendable {
  package let file: String
  package let what: String
  package let lines: Int
  /// The first similar ids; empty for other uses.
  package var similar: [String] = []
  package var hasMoreSimilar = false

  /// Most similar ids that the sentence names.
  private static let mostNamed = 5

  package var message: String {
    let count = NumberFormat.count(lines, "line")
    return similar.isEmpty
      ? "\(file): \(count) with its bytes \(what)"
      : "\(file): \(count) of \(what): \(similar.prefix(Self.mostNamed).joined(separator: ", "))\(rest)"
  }

  /// The number of similar ids that are not named.
  private var rest: String {
    let number = NumberFormat.grouped(similar.count - Self.mostNamed)
    if hasMoreSimilar { return " and over \(number) more" }
    return similar.count > Self.mostNamed ? " and \(number) more" : ""
  }
}

extension RunFiles.Content {
  /// The possible uses of the bytes of an id in such lines.
  fileprivate var others: String {
    switch self {
    case .profiles, .changes, .state:
      "as a value of another person, or as a name of an attribute or event"
    case .rejects: "as a name of a file or an attribute, or as a number"
    case .totals, .index: "as a name of an attribute or event"
    case .text: "as a name of an event or a file"
    }
  }
}

extension VerifiedFiles {
  /// Searches those files, the reports and the manifest for absent people.
  mutating func look(
    through files: [(path: String, content: RunFiles.Content)], for ids: AbsentIDs,
    _ manifest: Manifest
  ) throws(Failure) {
    // An index only contains data of its part of the state.
    for (name, content) in files where content != .text && content != .index {
      let path = manifest.path(of: name)
      if content == .state {
        let profiles = "\(output)/\(manifest.path(of: RunFiles.profiles(beside: name)))"
        try look(through: path, content) { () throws(Failure) in
          try AbsentStates(ids, profiles: profiles)
        }
      } else {
        try look(through: path, content) { AbsenceCheck(ids, in: content, manifest.identityKeys) }
      }
    }
    try look(intoTexts: files.filter { $0.content == .text }.map(\.path), for: ids, manifest)
  }

  /// Searches the lines or keys of a file. Damage is reported by other checks.
  /// - Throws: the failure that the job was cancelled with; `limit`, because no other check reports
  ///   it.
  private mutating func look<Frames: AbsenceFrames>(
    through path: String, _ content: RunFiles.Content, _ make: () throws(Failure) -> sending Frames
  ) throws(Failure) {
    let lanes = try FrameLane.lanes(jobs, make)
    var found = ProblemList()
    _ = try ifReadable { () throws(Failure) in
      try FrameWalk(output: output, path: path, control: control).run(lanes, problems: &found)
    }
    problems.add(found)
    note(path, content.others, lanes.reduce(0) { $0 + $1.use { $0.check.others } })
    note(path, lanes.reduce(into: SimilarIDs()) { $0.add($1.use { $0.check.similar }) })
  }

  private mutating func note(_ path: String, _ what: String, _ lines: Int) {
    if lines > 0 { elsewhere.append(AbsentElsewhere(file: path, what: what, lines: lines)) }
  }

  /// Lists ids of a file that are similar to absent ones.
  mutating func note(_ path: String, _ ids: SimilarIDs) {
    guard ids.lines > 0 else { return }
    elsewhere.append(
      AbsentElsewhere(
        file: path, what: "a similar id, which was not searched for", lines: ids.lines,
        similar: ids.names, hasMoreSimilar: ids.hasMore))
  }

  /// Searches the files without frames: reports, losses, `texts`, and the manifest.
  private mutating func look(
    intoTexts texts: [String], for ids: AbsentIDs, _ manifest: Manifest
  ) throws(Failure) {
    let search = PersonSearch(ids.erasures, keys: manifest.identityKeys)
    let report = AbsenceReport(search)
    let document = try ifReadable { () throws(Failure) in
      try JSONDocument(reading: "\(output)/\(RunFiles.report)", doing: FrameWalk.doing)
    }
    if let document {
      report.look(into: document.root, Report.origin)
      if report.namesAbsent { problems.add(RunFiles.report, .holdsAbsent) }
      note(RunFiles.report, "as a name of a file, an attribute or event", report.others)
    }
    let page = RunFiles.page
    if let text = try text(page) {
      let search = PersonSearch(ids.erasures, keys: manifest.identityKeys, sparesNames: true)
      if report.namesAbsent(inPage: text.view, isLine: search.isNamed) {
        problems.add(page, .holdsAbsent)
      }
    } else if try System.real.statusIfAny(of: "\(output)/\(page)", doing: FrameWalk.doing) != nil {
      // The manifest does not list the page: no other check reads it.
      problems.add(page, .mayHoldAbsent)
    }
    var absent = 0
    let losses = try count(in: RunFiles.losses) { line in
      guard search.isMentioned(in: line), let document = try? JSONDocument(line) else {
        return false
      }
      let found = AbsenceReport(search)
      found.look(into: document.root, LossLine.origin)
      if found.namesAbsent { absent += 1 }
      return !found.namesAbsent
    }
    for _ in 0..<absent { problems.add(RunFiles.losses, .holdsAbsent) }
    note(RunFiles.losses, "as a name of a file or an attribute", losses)
    for name in texts + [RunFiles.manifest] {
      note(name, RunFiles.Content.text.others, try count(in: name, search.isMentioned))
    }
  }

  /// The number of lines of a file for which `body` is true; 0 for a file that cannot be read.
  private func count(in name: String, _ body: (ByteView) -> Bool) throws(Failure) -> Int {
    guard let text = try text(name) else { return 0 }
    var cursor = LineCursor(bytes: text.view)
    var lines = 0
    while let line = cursor.next() { lines += body(text[line]) ? 1 : 0 }
    return lines
  }

  /// The content of a file; nil without one, which other checks report.
  private func text(_ name: String) throws(Failure) -> ByteBuffer? {
    try ifReadable { () throws(Failure) in
      try PositionedFile("\(output)/\(name)", doing: FrameWalk.doing).text()
    }
  }

  /// The result of `body` for a file; nil when that cannot be read, which other checks report.
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
