import Pipeline

/// Looks for people and installations that should not be in an output any more (`verify --absent`,
/// DIALECTS 1.3), line by line.
final class AbsenceCheck: LineCheck {
  /// What the lines are.
  enum Lines {
    case profiles
    case state
    case rejects
  }

  /// Not by name: who reads this may not be meant to know.
  static let finding = "it holds somebody who should be absent"

  let tape = Tape(numbersNames: false)
  private let erasures: Erasures
  private let search: PersonSearch
  private let lines: Lines
  private var text = ByteBuffer()
  private var key = ByteBuffer(capacity: 64)

  /// A check that nothing of what `erasures` are about is left.
  init(_ erasures: Erasures, in lines: Lines) {
    self.erasures = erasures
    self.lines = lines
    search = PersonSearch(erasures)
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    let isNamed =
      switch lines {
      case .profiles: isInProfile(root)
      case .state: isInState(root)
      case .rejects: isInReject(root)
      }
    if isNamed { findings.add(Self.finding) }
  }

  /// A profile does not say when what was, so it is looked at for those of whom nothing may be left; for
  /// the others the state tells.
  private func isInProfile(_ root: Int) -> Bool {
    guard let identifiers = tape.member("identifiers", of: root) else { return false }
    func isAbsent(_ section: KeySection, _ node: Int?) -> Bool {
      mark(section, node)?.isWhole ?? false
    }
    let folded = tape.member("installation_ids", of: identifiers).map { tape.items(of: $0) } ?? []
    return isAbsent(.custom, tape.member("custom_id", of: identifiers))
      || isAbsent(.install, tape.member("installation_id", of: identifiers))
      || folded.contains { isAbsent(.install, $0) }
  }

  private func isInState(_ root: Int) -> Bool {
    if let key = tape.string(at: tape.member("key", of: root)), let mark = erasures.mark(of: key),
      mark.isWhole || StateTimes(tape).hasAny(of: root, through: mark.time)
    {
      return true
    }
    guard let link = tape.member("link", of: root),
      let mark = mark(.custom, tape.member("custom_id", of: link))
    else { return false }
    return StateTimes(tape).hasAny(ofLink: link, through: mark.isWhole ? .max : mark.time)
  }

  private func isInReject(_ root: Int) -> Bool {
    if let raw = tape.string(at: tape.member("raw", of: root)) { return search.isNamed(in: raw) }
    text.removeAll()
    guard let base64 = tape.string(at: tape.member("raw_base64", of: root)),
      text.append(decodingBase64: base64)
    else { return false }
    return search.isNamed(in: text.view)
  }

  private func mark(_ section: KeySection, _ node: Int?) -> Erasures.Mark? {
    guard let id = tape.string(at: node) else { return nil }
    key.removeAll()
    Erasures.append(section, id, to: &key)
    return erasures.mark(of: key.view)
  }
}

/// The times in a line of a state, as far as an erasure is about them.
private struct StateTimes {
  private let tape: Tape

  init(_ tape: Tape) { self.tape = tape }

  /// Whether anything in the line at `root` that should go is of that time or before.
  func hasAny(of root: Int, through time: Int) -> Bool {
    func isOld(_ node: Int?) -> Bool {
      node.flatMap { StateNumber.integer(at: $0, of: tape) }.map { $0 <= time } ?? false
    }
    func isAnyOld(in list: Int?, _ isOld: (Int) -> Bool) -> Bool {
      var found = false
      if let list { tape.forEachMember(of: list) { found = found || isOld($0 + 1) } }
      return found
    }
    if isOld(tape.member("clear", of: root)) { return true }
    if let place = tape.member("at", of: root), isOld(tape.member("time", of: place)) {
      return true
    }
    if let link = tape.member("link", of: root), hasAny(ofLink: link, through: time) {
      return true
    }
    return isAnyOld(in: tape.member("attributes", of: root)) { register in
      isOld(tape.member("time", of: register))
        || isAnyOld(in: tape.member("add", of: register)) { isOld($0) }
        || isAnyOld(in: tape.member("remove", of: register)) { isOld($0) }
    }
      || isAnyOld(in: tape.member("events", of: root)) { register in
        isOld(tape.member("first", of: register) ?? tape.member("last", of: register))
      }
  }

  /// Whether a link is of that time or before.
  func hasAny(ofLink link: Int, through time: Int) -> Bool {
    tape.member("time", of: link).flatMap { StateNumber.integer(at: $0, of: tape) }
      .map { $0 <= time } ?? true
  }
}

extension Verification {
  /// Looks through everything in which somebody may be named.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func checkAbsence(of erasures: Erasures, _ partitions: Int) throws(Failure) {
    for partition in 0..<partitions {
      let profiles = RunFiles.part(partition, of: partitions, in: RunFiles.profiles)
      try files.look(through: profiles, for: erasures, .profiles)
      let state = RunFiles.part(partition, of: partitions, in: RunFiles.state)
      try files.look(through: state, for: erasures, .state)
    }
    try files.look(through: RunFiles.rejects, for: erasures, .rejects)
    try files.lookIntoReport(for: erasures)
  }
}

extension VerifiedFiles {
  /// Looks through the lines of a file. One that is damaged is told elsewhere.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func look(
    through path: String, for erasures: Erasures, _ lines: AbsenceCheck.Lines
  ) throws(Failure) {
    let checks = (0..<jobs).map { _ in AbsenceCheck(erasures, in: lines) }
    var found = ProblemList()
    do throws(Failure) {
      _ = try FrameWalk(output: output, path: path, control: control)
        .run(checks, problems: &found)
    } catch {
      try control.check()
    }
    problems.add(found)
  }

  /// Looks through what stands beside the logs of an archive or of a redrive.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func lookBeside(logs erasures: Erasures) throws(Failure) {
    guard !erasures.isEmpty else { return }
    try look(through: RunFiles.rejects, for: erasures, .rejects)
    try lookIntoReport(for: erasures)
  }

  /// Looks into `report.json`: for names that lines gave to what no rule knows. All else in a report, and
  /// in a manifest, is figures, and names of files, events and attributes.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func lookIntoReport(for erasures: Erasures) throws(Failure) {
    let report: JSONDocument
    do throws(Failure) {
      report = try JSONDocument(reading: "\(output)/\(RunFiles.report)", doing: FrameWalk.doing)
    } catch {
      return try control.check()
    }
    let search = PersonSearch(erasures)
    let lists = ReportNames.lists(of: report.root)
    if lists.contains(where: { $0.members.contains { search.isID($0.name) } }) {
      problems.add(RunFiles.report, AbsenceCheck.finding)
    }
  }
}

/// Where a report shows names that lines have given to something.
enum ReportNames {
  /// Members of `dialects`.
  static let ofDialects = ["internal_events", "ignored_actions"]

  /// The objects whose members have such names.
  static func lists(of report: JSONValue) -> [JSONValue] {
    let ofDialects = report["dialects"]?.members.filter { Self.ofDialects.contains($0.name) } ?? []
    return (report["unknown_fields"].map { [$0] } ?? []) + ofDialects.map(\.value)
  }
}
