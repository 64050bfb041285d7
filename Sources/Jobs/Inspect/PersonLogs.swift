import Pipeline
import Stages

/// A part of a line about a person: an event, an operation, a link, or a line that was rejected as
/// a whole.
package struct LoggedPart: Sendable {
  package enum Subject: Sendable {
    case line
    case event(Int, name: String)
    /// With its index among the operations of the line.
    case operation(Int, key: String)
    case link(installation: String, person: String)
  }

  package let site: LogSite
  package let dialect: String?
  /// The key it belongs to; nil for a rejected line.
  package let key: String?
  package let subject: Subject
  /// In milliseconds since 1970; nil without a valid one.
  package let time: Int?
  /// `accepted`, `rejected`, `applied`, `refused`, `suppressed`, `outside` or `duplicate`; `unread`
  /// or `skipped` if the output does not have its log.
  package internal(set) var outcome: String
  package let reasons: String
  /// The attributes of an event, or the value of an operation, as JSON; empty without.
  package let value: String
  /// The id of an event; none without one.
  let id: Fingerprint
  /// The output that has read its line; nil if that is unknown.
  package internal(set) var night: String?
}

/// A log that the output was made without.
package struct UnreadLog: Sendable {
  package let path: String
  /// The input that has the same content and counts; nil if none of the inputs has it.
  package var copied: String?
  /// The first line that the output was made without: above 1 if the log has grown since.
  package var firstLine = 1

  package var outcome: String { copied == nil ? "unread" : "skipped" }

  /// The reason that its statements do not count.
  var why: String {
    copied.map { "its log was skipped: it has the content of \($0)" }
      ?? "its log is not among the inputs of the output"
  }
}

extension [Int: UnreadLog] {
  /// The log, by its index, if the output was made without this line of it.
  subscript(site: LogSite) -> UnreadLog? {
    self[site.input].flatMap { site.line < $0.firstLine ? nil : $0 }
  }
}

struct PersonFindings: Sendable {
  static let mostParts = 1_000_000

  var parts: [LoggedPart] = []
  var statements: [Statement] = []
  /// Links to the person of installations that are not among its keys, by their keys.
  var elsewhere: [String: [Statement]] = [:]
  var unread: [Int: UnreadLog] = [:]
  /// Inputs that could not be read to their end, where the output was made with `--keep-going`.
  var lost: [Failure] = []

  /// The logs that the output was made without, in the order of the logs.
  var unreadLogs: [UnreadLog] { unread.sorted { $0.key < $1.key }.map(\.value) }

  static let tooMany = Failure(
    .limit, doing: "reading the logs of a person",
    why: "they have more than \(mostParts) parts about this person", advice: "name fewer logs")
}

extension PersonQuestions {
  /// Reads the logs for parts about a person, with the options of the run that made the output.
  func read(
    _ person: Person, _ lookup: borrowing ProfileLookup, _ texts: TextStore
  ) throws(Failure) -> PersonFindings {
    let (run, names, erasures) = (lookup.run, lookup.names, lookup.erasures)
    var options = try RunOptions().taking(run.manifest, path: output)
    let recorded = options.read.rules.mappings.text
    guard recorded == mappings.text else {
      throw Failure(
        .usage, doing: "reading the logs of a person", path: output,
        why: recorded.isEmpty
          ? "the output was made without mappings"
          : "the output was made with the mappings \(recorded)",
        advice: recorded.isEmpty ? "leave out --mapping" : "name the same files with --mapping")
    }
    options.read.rules.mappings = mappings
    options.read.inputs = logs
    options.read.jobs = jobs
    let inputs = try InputDiscovery.inputs(options.read, control)
    let rules = options.read.rules
    let consents = try consents(of: person, inputs, options, run.manifest)
    let keys = PersonKeys(person.keys)
    let (sources, ids) = (inputs.map(\.path), inputs.sourceIDs)
    let findings = Locked(PersonFindings())
    let suppressed = Locked<SuppressedTally.Table>([:])
    let read = try RecordFlow(
      stages: {
        Chains.inspect(
          rules, erasure: erasures.isEmpty ? nil : ErasureStage(erasures, suppressed),
          consent: consents.isEmpty ? nil : ConsentStage(consents),
          PersonStage(
            keys, RouterStage(names: names, sources: ids), sources: sources, texts,
            without: erasures, findings))
      },
      cores: try CoreQueues(jobs)
    ).run(inputs, options.read, nonLogs: nil, control, finish: { _ in })
    if let failure = names.failure { throw failure }
    var found = findings.withLock { $0 }
    found.lost = read.outcomes.compactMap(\.lost)
    let (earlier, contents) = try found.findUnread(read.outcomes, of: run.manifest, control)
    let path = try control.system.realPath(of: output, doing: "inspecting")
    let (own, nights) = (
      RunStamp.name(of: path), earlier.contains { $0 > 0 } ? nightsBeside(path) : [:]
    )
    for index in found.parts.indices where found.unread[found.parts[index].site] == nil {
      let site = found.parts[index].site
      let isEarlier = site.line <= earlier[site.input]
      found.parts[index].night = isEarlier ? contents[site.input].flatMap { nights[$0] } : own
    }
    // Their manifests may be gone.
    if let log = earlier.firstIndex(where: { $0 > 0 }) {
      let others = earlier.count { $0 > 0 } - 1
      control.note(
        "\(sources[log])\(others > 0 ? " and \(others) more of these logs" : "") "
          + "\(others > 0 ? "were" : "was") read by an earlier night, whose options are unknown: "
          + "what is shown follows those of \(output)")
    }
    found.order(ids, earlier: earlier, isRemembered: options.snapshot.dedupeDays > 0)
    return found
  }

  /// The outputs beside the one at `path` by what they have read.
  private func nightsBeside(_ path: String) -> [ContentFacts: String] {
    var nights: [ContentFacts: String] = [:]
    guard let parent = try? OutputPath(path).parent,
      let names = try? control.system.names(in: parent, doing: "inspecting")
    else { return [:] }
    for name in names.sorted() {
      guard let manifest = try? Manifest("\(parent)/\(name)", doing: "inspecting") else { continue }
      for input in manifest.inputs where !input.isLost {
        if let content = input.content, nights[content] == nil { nights[content] = name }
      }
    }
    return nights
  }

  /// The consent statements of the installations, in the logs and in the state, if the run has
  /// honored them.
  private func consents(
    of person: Person, _ inputs: [InputFile], _ options: RunOptions, _ manifest: Manifest
  ) throws(Failure) -> ConsentHistory {
    guard options.merge.honorsOptOut else { return ConsentHistory() }
    let phase = ConsentPhase(options: options.read, inputs: inputs, control: control)
    var (history, outcomes) = try phase.readInputs(nonLogs: nil, hashes: true)
    var found = PersonFindings()
    _ = try found.findUnread(outcomes, of: manifest, control)
    if !found.unread.isEmpty {
      // The statements of lines that the run did not have have suppressed nothing.
      history = try phase.readInputs(
        nonLogs: nil, hashes: false, before: found.unread.mapValues(\.firstLine)
      ).consents
    }
    for (key, state) in zip(person.keys, person.states) {
      let text = ByteBuffer(text: key)
      if let word = state.consent { history.add(word, of: Erasures.digest(of: text.view)) }
    }
    history.settle()
    return history
  }
}

/// What the output with a manifest, and the nights before it, have read.
private struct LogReadings {
  /// By content, the readings that no log stands for yet: the path, and how many of its lines an
  /// earlier night has read.
  private var left: [ContentFacts: [(path: String, earlierLines: Int)]] = [:]
  /// The path under which each known content was read, or is a part of what was read.
  private(set) var paths: [ContentFacts: String] = [:]
  private let known: KnownContents

  init(_ manifest: Manifest) {
    let tonight = Dictionary(manifest.inputs.map { ($0.content, $0.start?.lines ?? 0) }) { $1 }
    for input in InputHistory(manifest).inputs {
      guard let content = input.content else { continue }
      let isReading = !input.isSuperseded && input.earlier == nil
      if isReading || paths[content] == nil { paths[content] = input.readAs }
      guard isReading else { continue }
      left[content, default: []].append((input.path, tonight[content] ?? .max))
    }
    known = KnownContents(paths.keys.map { (content: $0, isCut: false) })
  }

  /// Takes the reading of a content, under this path if it is not nil, and returns how many of its
  /// lines an earlier night has read; nil when none is left.
  mutating func take(_ content: ContentFacts, under path: String?) -> Int? {
    let found = left[content]?.firstIndex { reading in
      path.map { $0.utf8.elementsEqual(reading.path.utf8) } ?? true
    }
    return found.flatMap { left[content]?.remove(at: $0).earlierLines }
  }

  /// The longest known content that a file begins with, and where it goes on.
  func beginning(
    of file: InputFile, _ control: JobControl
  ) throws(Failure) -> (content: ContentFacts, start: InputStart)? {
    try ContentScan(file, known: known, system: control.system) { () throws(Failure) in
      try control.check()
    }.beginnings.last
  }
}

extension PersonFindings {
  /// Finds the logs that neither the output with this manifest nor an earlier night has read. The
  /// content identifies an input; it counts as often as it was read, under the same path first.
  /// - Returns: by the index of a log, how many of its lines an earlier night has read, and the
  ///   content that was read.
  fileprivate mutating func findUnread(
    _ logs: [InputOutcome], of manifest: Manifest, _ control: JobControl
  ) throws(Failure) -> (lines: [Int], contents: [ContentFacts?]) {
    var readings = LogReadings(manifest)
    let lost = Set(manifest.inputs.filter(\.isLost).map(\.path))
    var earlierLines = Array(repeating: 0, count: logs.count)
    var contents: [ContentFacts?] = Array(repeating: nil, count: logs.count)
    var pending = logs.indices.filter { logs[$0].lost != nil || logs[$0].summary?.lines != 0 }
    for needsPath in [true, false] {
      var left: [Int] = []
      for index in pending {
        let (file, content) = (logs[index].file, logs[index].known)
        let path = needsPath ? file.path : nil
        if let content, let lines = readings.take(content, under: path) {
          (earlierLines[index], contents[index]) = (lines, content)
        } else if let content, readings.paths[content] == nil,
          let (known, start) = try readings.beginning(of: file, control),
          let lines = readings.take(known, under: path)
        {
          (earlierLines[index], contents[index]) = (lines, known)
          unread[index] = UnreadLog(path: file.path, firstLine: start.lines + 1)
        } else {
          left.append(index)
        }
      }
      pending = left
    }
    // Of others that were lost, too, it is unknown what was read.
    for index in pending where logs[index].lost == nil || !lost.contains(logs[index].file.path) {
      unread[index] = UnreadLog(
        path: logs[index].file.path, copied: logs[index].content.flatMap { readings.paths[$0] })
    }
    return (earlierLines, contents)
  }

  /// Sorts parts by time, those without one last, and statements by their lines, and marks
  /// duplicates among the events of inputs with these numbers. Of several deliveries of an event
  /// that of an earlier night counts, else that of the input with the least number, as in a run.
  /// `earlier` is how many lines of an input an earlier night has read; without `isRemembered` the
  /// ids of the others are unknown to it.
  fileprivate mutating func order(_ inputs: [InputSourceID], earlier: [Int], isRemembered: Bool) {
    let isEarlier = { (site: LogSite) in site.line <= earlier[site.input] }
    let isBefore = { (a: Statement, b: Statement) in
      a.site.flatMap { a in b.site.map { a < $0 } } ?? false
    }
    statements.sort(by: isBefore)
    elsewhere = elsewhere.mapValues { $0.sorted(by: isBefore) }
    parts.sort { a, b in
      let (left, right) = (a.time ?? .max, b.time ?? .max)
      return left != right
        ? left < right
        : a.site != b.site ? a.site < b.site : a.subject.position < b.subject.position
    }
    var counted: [Delivery: LogSite] = [:]
    func delivery(_ id: Fingerprint, _ site: LogSite) -> Delivery {
      Delivery(id: id, isEarlier: isRemembered ? false : isEarlier(site))
    }
    func rank(_ site: LogSite) -> (Int, UInt64) {
      (isEarlier(site) ? 0 : 1, inputs[site.input].number)
    }
    for statement in statements where statement.id != .none {
      guard let site = statement.site, unread[site] == nil else { continue }
      let key = delivery(statement.id, site)
      // Of one input the first line counts.
      if counted[key].map({ rank(site) < rank($0) }) ?? true { counted[key] = site }
    }
    var taken: Set<Delivery> = []
    func isDuplicate(_ id: Fingerprint, _ site: LogSite) -> Bool {
      let key = delivery(id, site)
      return counted[key] != site || !taken.insert(key).inserted
    }
    for index in statements.indices where statements[index].id != .none {
      guard let site = statements[index].site, unread[site] == nil else { continue }
      statements[index].isDuplicate = isDuplicate(statements[index].id, site)
    }
    taken.removeAll()
    for index in parts.indices {
      let part = parts[index]
      if let log = unread[part.site] {
        parts[index].outcome = log.outcome
      } else if part.id != .none, isDuplicate(part.id, part.site) {
        parts[index].outcome = "duplicate"
      }
    }
  }

  /// An event, by the facts that identify duplicates.
  private struct Delivery: Hashable {
    let id: Fingerprint
    let isEarlier: Bool
  }
}

extension LoggedPart.Subject {
  /// The order among the parts of a line.
  fileprivate var position: Int {
    switch self {
    case .line: 0
    case .event(let index, _): 1 + index
    case .operation(let index, _): 1 << 32 + index
    case .link: .max
    }
  }
}
