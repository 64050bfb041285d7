import Pipeline
import Stages

/// Determines what won and why, by the rules of the merge: the content of each register in the
/// state is the winner, and every other statement is compared with it.
struct Why {
  private typealias Verdict = (outcome: WhyAnswer.Judged.Outcome, why: String)
  private typealias Judged = WhyAnswer.Judged

  private let person: Person
  /// The keys of the person, then installations elsewhere that a line links to the person, and the
  /// states of both.
  private let keys: [String]
  private let states: [KeyState]
  private let names: NameLists
  private let stitch: Stitch
  /// Statements of logs, and of the state if no log has them.
  private let statements: [Statement]
  /// The register of each event name in the state, of each key.
  private let events: [UInt32: [(key: Int, register: EventRegister)]]
  /// The register of each attribute in all states, by the merge itself.
  private let attributes: [UInt32: AttributeRegister]
  /// Names of events that the erase mark took, by key.
  private let erasedNames: [Set<Fingerprint>]
  private let clear: Int
  private let found: PersonFindings
  private let texts: TextStore

  init(
    _ person: Person, _ elsewhere: [(key: String, state: KeyState)], _ found: PersonFindings,
    _ names: NameLists, _ stitch: Stitch, _ texts: TextStore
  ) {
    (self.person, self.found, self.names, self.texts) = (person, found, names, texts)
    self.stitch = stitch
    let clear = person.states.map(\.facts.clear.time).max() ?? .min
    var known: [Statement] = []
    var events: [UInt32: [(key: Int, register: EventRegister)]] = [:]
    var attributes: [UInt32: AttributeRegister] = [:]
    var erasedNames = [Set<Fingerprint>](repeating: [], count: person.states.count)
    for (key, state) in person.states.enumerated() {
      state.forEach { record in
        if let name = record.erasedName { erasedNames[key].insert(name) }
        if record.naming == .attribute {
          attributes[record.name, default: AttributeRegister()].merge(record)
        }
        if Statement.kinds.contains(record.kind) {
          known.append(Statement(key: key, record: record))
        } else if record.naming == .event, record.isErasable {
          Self.add(record.eventRegister, of: key, to: &events[record.name, default: []])
        }
      }
    }
    self.events = events
    for (name, rows) in events.sorted(by: { $0.key < $1.key }) {
      known += rows.map { Statement($0.register, key: $0.key, name: name) }
    }
    keys = person.keys + elsewhere.map(\.key)
    states = person.states + elsewhere.map(\.state)
    var told = found.statements
    for (key, other) in zip(person.keys.count..., elsewhere) {
      known += other.state.facts.links.all.map {
        Statement(key: key, record: Mutation(.link, time: $0.time, value: $0.target))
      }
      for var link in found.elsewhere[other.key] ?? [] {
        link.key = key
        told.append(link)
      }
    }
    let logged = Set(
      told.lazy.filter { one in one.site.map { found.unread[$0] == nil } ?? true }
        .map(\.content))
    statements = told + known.filter { !logged.contains($0.content) }
    self.attributes = attributes.mapValues { register in
      var register = register
      register.settle(clear: clear)
      return register
    }
    (self.erasedNames, self.clear) = (erasedNames, clear)
  }

  private static func add(
    _ register: EventRegister, of key: Int, to rows: inout [(key: Int, register: EventRegister)]
  ) {
    // Key after key.
    if let last = rows.indices.last, rows[last].key == key {
      rows[last].register.merge(register)
    } else {
      rows.append((key, register))
    }
  }

  func answer(_ profile: JSONValue, installation: String?) -> WhyAnswer {
    WhyAnswer(
      profile: profile, installation: installation, keys: person.keys, links: links,
      attributes: attributes(profile), events: eventAnswers(profile), fields: fields(profile),
      marks: marks, lost: found.lost, unread: found.unreadLogs)
  }

  // MARK: - Links, clears, erase marks

  /// The reason for the owner of each installation.
  private var links: [WhyAnswer.Register] {
    let links = Dictionary(grouping: statements.filter { $0.kind == .link }, by: \.key)
    return keys.indices.compactMap { key in
      let owners = states[key].facts.links
      let current = owners.current
      guard let found = links[key] else { return nil }
      let judged = judge(found, earliestFirst: !owners.hasErased) { statement in
        let link = InstallationLink(time: statement.time, target: statement.value)
        if let erased = erased(statement) { return erased }
        if owners.standsAlone { return (.lost, "the installation stands alone") }
        guard let current else { return unknown }
        if link.time == current.time, link.target == current.target { return (.won, "") }
        let isLatest = owners.hasErased
        let wins = isLatest ? link.isBehind(current) : link.isBefore(current)
        if wins { return unknown }
        let which = isLatest ? "a later link counts, as one was erased" : "an earlier link counts"
        let bytes = isLatest ? "the greater id counts" : "the smaller id counts"
        return (.lost, link.time != current.time ? which : "of the same time, \(bytes)")
      }
      return WhyAnswer.Register(
        name: keys[key],
        published: owners.person(stitch).map { KeySection.custom.id(of: $0).jsonText },
        statements: judged)
    }
  }

  private var marks: [WhyAnswer.Judged] {
    judge(statements.filter { $0.kind == .clear || $0.kind == .eraseMark }) { statement in
      let state = person.states[statement.key]
      if statement.kind == .clear, let erased = erased(statement) { return erased }
      let last = statement.kind == .clear ? clear : state.facts.eraseMark.time
      if statement.time == last { return (.won, "") }
      return statement.time < last ? (.lost, "a later one counts") : unknown
    }
  }

  // MARK: - Attributes

  private func attributes(_ profile: JSONValue) -> [WhyAnswer.Register] {
    let found = Dictionary(
      grouping: statements.filter { $0.record.naming == .attribute }, by: \.name)
    let values = Self.members(profile["attributes"])
    return found.map { number, statements in
      let name = names.attributes[number].text
      let published = KeyForm.allCases.map { $0.key(name) }.first { values[$0] != nil }
      return WhyAnswer.Register(
        name: published ?? name, published: published.flatMap { values[$0] }?.jsonText,
        statements: judge(statements, by: attributes[number] ?? AttributeRegister()))
    }.sorted { $0.name < $1.name }
  }

  private static func members(_ object: JSONValue?) -> [String: JSONValue] {
    Dictionary((object?.members ?? []).map { ($0.name, $0.value) }) { first, _ in first }
  }

  private func judge(
    _ statements: [Statement], by register: AttributeRegister
  ) -> [Judged] {
    let items = Dictionary(uniqueKeysWithValues: register.items.map { ($0.value.array, $0) })
    let hasAdds = !register.items.allSatisfy(\.isRemoval)
    let isArray = register.value.map { $0.value.starts(with: "[") } ?? false
    return judge(statements) { statement in
      if let early = erased(statement) ?? cleared(statement) { return early }
      let record = statement.record
      let isOfItem = record.kind == .addItem || record.isRemoval
      if isOfItem, let base = register.base, statement.time < base.time {
        return (.lost, "a later \(base.kind == .set ? "set" : "unset") counts")
      }
      guard let winner = isOfItem ? items[statement.value.array] : register.base else {
        return unknown
      }
      guard let rule = winner.rule(against: record) else {
        return winner.kind == .set && hasAdds && !isArray
          ? (.lost, "items were added at the same time or later") : (.won, "")
      }
      if record.wins(over: winner) { return unknown }
      return (
        .lost,
        isOfItem && rule == .kind
          ? "of the same time, a removal wins over an addition" : Self.words(rule)
      )
    }
  }

  // MARK: - Events

  private func eventAnswers(_ profile: JSONValue) -> [WhyAnswer.Register] {
    let found = Dictionary(grouping: statements.filter { $0.kind == .event }, by: \.name)
    let values = Self.members(profile["events"])
    return found.map { number, statements in
      let name = names.events[number].text
      let rows = events[number] ?? []
      var total = rows.first?.register
      for (_, register) in rows.dropFirst() { total?.merge(register) }
      let judged = judge(statements) { statement in
        if let erased = erased(statement) { return erased }
        guard let total else { return unknown }
        // If no event has a time, the greatest value counts, as among those with one time.
        let last = total.seen.last
        let time = statement.time == EventTime.absent ? Seen.never.last : statement.time
        if time == last, statement.value == total.value { return (.won, "") }
        let wins = EventRegister.valueWins(statement.value, at: time, over: total.value, at: last)
        if wins { return unknown }
        return (.lost, time != last ? Self.later : Self.words(.bytes))
      }
      return WhyAnswer.Register(name: name, published: values[name]?.jsonText, statements: judged)
    }.sorted { $0.name < $1.name }
  }

  // MARK: - Registers of one value

  private func fields(_ profile: JSONValue) -> [WhyAnswer.Register] {
    RegisterKind.allCases.flatMap { kind -> [WhyAnswer.Register] in
      let found = statements.filter { $0.record.register == kind }
      // Each installation has its own; of other registers the latest of all keys counts.
      let groups =
        kind.isOfInstallation
        ? Dictionary(grouping: found, by: \.key).sorted { $0.key < $1.key }.map(\.value)
        : found.isEmpty ? [] : [found]
      return groups.map { statements in
        let keys = kind.isOfInstallation ? [statements[0].key] : Array(person.keys.indices)
        return WhyAnswer.Register(
          name: "\(kind.field)", published: profile[kind.field]?.jsonText,
          statements: judge(statements, kind, of: keys))
      }
    }
  }

  /// Judges values of a register by its value in the states of `keys`.
  private func judge(_ statements: [Statement], _ kind: RegisterKind, of keys: [Int]) -> [Judged] {
    let latest = keys.compactMap { person.states[$0].latest(kind) }.max { $1.wins(over: $0) }
    return judge(statements) { statement in
      if kind.isErasable, let erased = erased(statement) { return erased }
      guard let latest, !statement.record.wins(over: latest) else { return unknown }
      return latest.rule(against: statement.record).map { (.lost, Self.words($0)) } ?? (.won, "")
    }
  }

  // MARK: - Verdicts

  private static let later = "a later one counts"

  private static func words(_ rule: MergeRule) -> String {
    switch rule {
    case .time: later
    case .kind: "of the same time, a set wins over an unset"
    case .bytes: "of the same time, the greater bytes win"
    case .form: "of the same time and value, plain wins over date and url"
    }
  }

  private var unknown: Verdict { (.unknown, "the output was made without it") }

  /// The verdict on a statement of a log that the output was made without.
  private func withoutLog(_ statement: Statement) -> Verdict? {
    statement.site.flatMap { found.unread[$0] }.map { (.unknown, $0.why) }
  }

  private func erased(_ statement: Statement) -> Verdict? {
    let mark = states[statement.key].facts.eraseMark.time
    guard mark != .min, statement.time <= mark || isClosed(statement) else { return nil }
    return (.lost, "erased by the mark of \(Timestamp.text(mark))")
  }

  /// Whether it is an event that the mark removed by its name, or because it has no time.
  private func isClosed(_ statement: Statement) -> Bool {
    guard statement.kind == .event else { return false }
    let key = person.states[statement.key].key
    let name = ErasedNamesRegister.hash(names.events[statement.name], of: key)
    return statement.time == EventTime.absent || erasedNames[statement.key].contains(name)
  }

  private func cleared(_ statement: Statement) -> Verdict? {
    statement.time < clear ? (.lost, "cleared at \(Timestamp.text(clear))") : nil
  }

  /// Judges statements of one register: winners first, then the others by closeness to them.
  private func judge(
    _ statements: [Statement], earliestFirst: Bool = false, _ verdict: (Statement) -> Verdict
  ) -> [Judged] {
    var judged: [(statement: Statement, verdict: Verdict)] = []
    var winners: Set<Statement.Content> = []
    for statement in statements {
      var result = withoutLog(statement) ?? verdict(statement)
      if result.outcome == .won {
        let content = Statement.Content(
          kind: statement.kind, time: statement.time, value: statement.value.array)
        if !winners.insert(content).inserted { result = (.same, "it says the same as the winner") }
      }
      judged.append((statement, result))
    }
    let order = Judged.Outcome.allCases
    func rank(_ one: (statement: Statement, verdict: Verdict)) -> (Int, Int) {
      let time = one.statement.time
      return (order.firstIndex(of: one.verdict.outcome) ?? 0, earliestFirst ? time : ~time)
    }
    // Sorting is stable, so equal ones keep line order.
    return judged.sorted { rank($0) < rank($1) }.map { make($0.statement, $0.verdict) }
  }

  private func make(_ statement: Statement, _ verdict: Verdict) -> Judged {
    let value: String? =
      switch statement.kind {
      case .set, .single: statement.value.text
      case .event: statement.value.isEmpty ? nil : statement.value.text
      case .addItem, .removeItem: statement.value.jsonText
      case .link: KeySection.custom.id(of: statement.value).jsonText
      default: nil
      }
    return Judged(
      outcome: verdict.outcome, kind: statement.kind.word, key: keys[statement.key],
      time: statement.time == EventTime.absent ? nil : statement.time, value: value,
      count: statement.site == nil && statement.kind == .event ? statement.count : nil,
      isDuplicate: statement.isDuplicate, site: statement.site, why: verdict.why)
  }
}

extension FactKind {
  fileprivate var word: String {
    switch self {
    case .set, .single: "set"
    case .unset: "unset"
    case .addItem: "add"
    case .removeItem: "remove"
    case .clear: "clear"
    case .eraseMark: "erase"
    case .link: "link"
    default: "event"
    }
  }
}
