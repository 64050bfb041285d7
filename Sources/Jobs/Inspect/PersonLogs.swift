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
  subscript(input: Int, line: Int) -> UnreadLog? {
    self[input].flatMap { line < $0.firstLine ? nil : $0 }
  }

  subscript(site: LogSite) -> UnreadLog? { self[site.input, site.line] }
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
  /// The options of the run that made an output, for reading the logs.
  private func options(of output: Output) throws(Failure) -> RunOptions {
    var options = try RunOptions().taking(output.manifest, path: output.path)
    let recorded = options.read.rules.mappings.text
    guard recorded == mappings.text else {
      throw Failure(
        .usage, doing: "reading the logs of a person", path: output.path,
        why: recorded.isEmpty
          ? "the output was made without mappings"
          : "the output was made with the mappings \(recorded)",
        advice: recorded.isEmpty ? "leave out --mapping" : "name the same files with --mapping")
    }
    options.read.rules.mappings = mappings
    (options.read.inputs, options.read.jobs) = (logs, jobs)
    return options
  }

  /// Reads the logs for parts about a person, each line with the options of the run that has read
  /// it.
  func read(
    _ person: Person, _ texts: TextStore
  ) throws(Failure) -> PersonFindings {
    let (run, control) = (lookup.run, lookup.control)
    let path = try control.system.realPath(of: run.path, doing: "inspecting")
    let options = try options(of: run)
    let inputs = try InputDiscovery.inputs(options.read, control)
    // What the nights before have left decides what counts.
    let needsStates = options.snapshot.dedupeDays > 0 || options.merge.honorsOptOut
    var nights = NightsBeside(run, at: path, beside: needsStates, of: person, texts, control)
    var consents: Consents?
    if options.merge.honorsOptOut {
      consents = try self.consents(of: person, inputs, options, nights)
    }
    let all = Array(inputs.indices)
    let first = try read(person, inputs, all, options, consents, texts)
    var found = first.found
    found.lost = first.outcomes.compactMap(\.lost)
    var logs =
      if let consents { consents.logs } else {
        try LogNights(first.outcomes, of: run.manifest, nights, control)
      }
    found.unread = logs.unread
    if !needsStates, all.contains(where: { logs[$0, 1] != nights.own }) {
      nights = NightsBeside(run, at: path, beside: true, of: person, texts, control)
      logs.find(in: nights)
    }
    try readAgain(&found, person, inputs, logs, nights, options, consents, texts)
    for index in found.parts.indices where found.unread[found.parts[index].site] == nil {
      let site = found.parts[index].site
      found.parts[index].night = nights.all[logs[site.input, site.line]]?.name
    }
    found.order(inputs.sourceIDs, logs) { night in
      guard nights.knowsIDs(night) else { return [] }
      return nights.states(before: night).map { states in
        states.prefix(person.keys.count).reduce(into: []) { $0.formUnion($1.ids) }
      }
    }
    return found
  }

  /// Reads the lines of nights that had other options than OUT with theirs.
  private func readAgain(
    _ found: inout PersonFindings, _ person: Person, _ inputs: [InputFile], _ logs: LogNights,
    _ nights: NightsBeside, _ options: RunOptions, _ consents: Consents?, _ texts: TextStore
  ) throws(Failure) {
    var consents = consents
    let groups = Dictionary(grouping: logs.nights.sorted()) { night in
      nights.all[night]?.output.manifest.options.texts
    }
    for (recorded, group) in groups.sorted(by: { $0.value[0] < $1.value[0] })
    where recorded != lookup.run.manifest.options.texts {
      let theirLogs = inputs.indices.filter { !logs.nights(of: $0).isDisjoint(with: group) }
      let again = theirLogs.filter { inputs[$0].isReopenable }
      let output = nights.all[group[0]]?.output
      guard let output, var theirs = try? self.options(of: output),
        consents != nil || !theirs.merge.honorsOptOut || inputs.allSatisfy(\.isReopenable)
      else {
        note(ofEarlierNights: theirLogs.map { inputs[$0].path }, areGone: output == nil)
        continue
      }
      let others = theirLogs.filter { !inputs[$0].isReopenable }
      note(ofEarlierNights: others.map { inputs[$0].path }, areGone: false)
      theirs.read.keepGoing = options.read.keepGoing
      if consents == nil, theirs.merge.honorsOptOut {
        consents = try self.consents(of: person, inputs, theirs, nights)
      }
      let part = try read(person, inputs, again, theirs, consents, texts).found
      found.replace(by: part) { site in
        inputs[site.input].isReopenable && group.contains(logs[site.input, site.line])
      }
    }
  }

  /// Reads those of `inputs` with these `indices`.
  private func read(
    _ person: Person, _ inputs: [InputFile], _ indices: [Int], _ options: RunOptions,
    _ consents: Consents?, _ texts: TextStore
  ) throws(Failure) -> (found: PersonFindings, outcomes: [InputOutcome]) {
    let (names, erasures, rules) = (lookup.names, lookup.erasures, options.read.rules)
    let keys = PersonKeys(person.keys)
    let (ids, chosen) = (inputs.sourceIDs, indices.map { (input: $0, path: inputs[$0].path) })
    let known = options.merge.honorsOptOut ? consents : nil
    let findings = Locked(PersonFindings())
    let suppressed = Locked<SuppressedTally.Table>([:])
    let read = try RecordFlow(
      stages: {
        Chains.inspect(
          rules, erasure: erasures.isEmpty ? nil : ErasureStage(erasures, suppressed),
          consent: known.map { known in
            ConsentStage(known.histories) { known.logs[indices[$0], $1] }
          },
          PersonStage(
            keys, RouterStage(names: names, sources: indices.map { ids[$0] }), sources: chosen,
            texts, without: erasures, findings))
      },
      cores: try CoreQueues(jobs)
    ).run(
      indices.map { inputs[$0] }, options.read, nonLogs: nil, hashes: consents == nil,
      lookup.control, finish: { _ in })
    if let failure = names.failure { throw failure }
    return (findings.withLock { $0 }, read.outcomes)
  }

  /// Notes that earlier nights have read these logs with options that are not applied.
  private func note(ofEarlierNights logs: [String], areGone: Bool) {
    guard let log = logs.first else { return }
    let others = logs.count - 1
    lookup.control.note(
      "\(log)\(others > 0 ? " and \(others) more of these logs" : "") "
        + "\(others > 0 ? "were" : "was") read by an earlier night, "
        + (areGone ? "whose options are unknown" : "but cannot be read with its options")
        + ": what is shown follows those of \(lookup.run.path)")
  }

  private typealias Consents = (histories: [ConsentHistory], logs: LogNights)

  /// The consent statements that each night knew, of its lines and of the states before and after
  /// it; those of all installations in lines of the person.
  private func consents(
    of person: Person, _ inputs: [InputFile], _ options: RunOptions, _ nights: NightsBeside
  ) throws(Failure) -> Consents {
    let found = Locked<(consents: [LoggedConsent], installations: Set<String>)>(([], []))
    let key = ByteBuffer(text: person.keys[0])
    let outcomes = try ConsentPhase(options: options.read, inputs: inputs, control: lookup.control)
      .readInputs(of: Erasures.digest(of: key.view), nonLogs: nil, hashes: true) {
        words, installations throws(Failure) in
        let count = found.withLock { found in
          found.consents += words
          found.installations.formUnion(installations)
          return found.consents.count
        }
        try ConsentHistory.check(count: count)
      }
    let logs = try LogNights(outcomes, of: lookup.run.manifest, nights, lookup.control)
    var histories = Array(repeating: ConsentHistory(), count: nights.all.count)
    // The statements of lines that no run has had have suppressed nothing.
    for one in found.withLock({ $0.consents }) where logs.unread[one.input, one.line] == nil {
      histories[logs[one.input, one.line]].add(one.word, of: one.key)
    }
    // What was known where outputs are gone is not known: all that is.
    for index in histories.indices where index != nights.gone {
      histories[nights.gone].add(histories[index])
    }
    nights.others = found.withLock { $0.installations.subtracting(person.keys).sorted() }
    for night in logs.nights {
      for states in [nights.states(before: night), nights.states(after: night)] {
        for state in states ?? nights.states(after: nights.own) ?? [] {
          guard let word = state.consent else { continue }
          histories[night].add(word, of: Erasures.digest(of: state.key))
        }
      }
      histories[night].settle()
    }
    return (histories, logs)
  }
}

extension PersonFindings {
  /// Takes what `other` has of the sites that are chosen, instead of what this one has.
  fileprivate mutating func replace(by other: PersonFindings, where isChosen: (LogSite) -> Bool) {
    func isOther(_ statement: Statement) -> Bool { statement.site.map(isChosen) ?? false }
    parts.removeAll { isChosen($0.site) }
    parts += other.parts.filter { isChosen($0.site) }
    statements.removeAll { isOther($0) }
    statements += other.statements.filter { isOther($0) }
    elsewhere = elsewhere.mapValues { $0.filter { !isOther($0) } }
      .merging(other.elsewhere.mapValues { $0.filter { isOther($0) } }) { $0 + $1 }
      .filter { !$1.isEmpty }
  }

  /// Sorts parts by time, those without one last, and statements by their lines, and marks
  /// duplicates among the events of inputs with these numbers, as the runs of their nights did: of
  /// several deliveries that of the input with the least number counts. `known` returns the ids
  /// that a night knew from the state before it; nil if that is gone: then those of nights before
  /// it in the logs count.
  fileprivate mutating func order(
    _ inputs: [InputSourceID], _ logs: LogNights, known: (Int) -> Set<UInt64>?
  ) {
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
    let deliveries = statements.indices.compactMap { index -> (index: Int, night: Int)? in
      guard statements[index].id != .none, let site = statements[index].site, unread[site] == nil
      else { return nil }
      return (index, logs[site.input, site.line])
    }
    var delivered: Set<UInt64> = []
    var counted: Set<Delivery> = []
    for (night, deliveries) in Dictionary(grouping: deliveries, by: \.night)
      .sorted(by: { $0.key < $1.key })
    {
      var ids = known(night) ?? delivered
      func number(_ index: Int) -> UInt64 {
        statements[index].site.map { inputs[$0.input].number } ?? 0
      }
      // Of one input the first line counts.
      for index in deliveries.map(\.index).sorted(by: { number($0) < number($1) }) {
        let id = statements[index].id.high
        statements[index].isDuplicate = !ids.insert(id).inserted
        if !statements[index].isDuplicate, let site = statements[index].site {
          counted.insert(Delivery(id: id, input: site.input, offset: site.offset))
        }
      }
      delivered.formUnion(ids)
    }
    for index in parts.indices {
      let (id, site) = (parts[index].id, parts[index].site)
      let delivery = Delivery(id: id.high, input: site.input, offset: site.offset)
      if let log = unread[site] {
        parts[index].outcome = log.outcome
      } else if id != .none, counted.remove(delivery) == nil {
        parts[index].outcome = "duplicate"
      }
    }
  }

  private struct Delivery: Hashable {
    let id: UInt64
    let input: Int
    let offset: Int
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
