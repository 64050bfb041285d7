package import Pipeline
package import Stages

/// `facts.json`, and the facts in the manifest of a partial.
extension PartialFacts: Document {
  static let fields: [Field<PartialFacts>] = [
    .format("eventmill_facts", PartialFile.formatVersion), .value("inputs", \.inputs),
    .count("lines_with_rejects", \.tally.linesWithRejects), .value("reasons", \.tally.reasons),
    .value("losses", \.tally.losses), .counts("unknown_fields", \.tally.unknownFields.names),
    .count("other_unknown_fields", \.tally.unknownFields.others),
    .part(\.remarks, with: "remarks"), .part(\.tally.dialects),
    .list("kept_back", \.suppressed), .value("attributes", \.attributes),
    .value("events", \.eventFacts), .pairs("duplicates", \.duplicates),
    .value("read_days", \.counts.totals.readDays), .value("hours", \.counts.hours),
    .list("skipped", \.alreadyRead),
    .value("passed_over", \.ignoredFiles, unless: IgnoredFiles()),
    .part(\.tracking, with: "tracking_plan"),
  ]

  func check() throws(DocumentDamage) {
    try Self.check(outcomes.map(\.file.path), "inputs")
    try Self.check(alreadyRead.map(\.path), "skipped")
    try Self.check(events, "events")
    try Self.check(attributes, "attributes")
    guard attributes.allSatisfy({ Self.isName($0.hasPrefix("$") ? $0.dropFirst() : $0[...]) })
    else { throw DocumentDamage("has an invalid key").inside("attributes") }
    let samples = (tally.reasons + tally.losses + tally.remarks).lazy.flatMap(\.samples)
    guard samples.allSatisfy({ outcomes.indices.contains($0.input) }) else {
      throw DocumentDamage("has a sample of an input that does not exist")
    }
    // Suppressed events have a day, if they have a time, and no hour.
    let ofDays = counts.totals.readDays.events
    guard 0...tally.total.suppressed ~= ofDays - counts.hours.events else {
      throw DocumentDamage("counts other events per day than per hour")
    }
  }

  private static func check(_ names: [String], _ field: String) throws(DocumentDamage) {
    let isSorted = zip(names, names.dropFirst()).allSatisfy { $0.precedes($1) }
    if !isSorted { throw DocumentDamage("is not in order").inside(field) }
  }

  /// Whether a text is a name in the form of states (data-model 6): other texts may be equal
  /// without having the same bytes.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard text.utf8.count <= Characters.longestName else { return false }
    let bytes = ByteBuffer(text: String(text))
    return Characters.nameShape(bytes.view) == .lowercase
  }

  private var inputs: [InputFacts] {
    get {
      outcomes.indices.map {
        InputFacts(outcomes[$0], tally.ledgers[$0], tally.dialects.named(ofInput: $0))
      }
    }
    set {
      outcomes = newValue.map(\.outcome)
      tally.ledgers = newValue.map(\.ledger)
      tally.dialects.lines = newValue.map { DialectFacts.lines($0.dialects) }
    }
  }

  private var remarks: Remarks? {
    get {
      tally.remarks.isEmpty ? nil : Remarks(keys: tally.implausibleDates, remarks: tally.remarks)
    }
    set {
      tally.implausibleDates = newValue?.keys ?? NameCounts()
      tally.implausibleSamples = newValue?.remarks.first?.samples ?? []
    }
  }

  private var suppressed: [SuppressedKey] {
    get { tally.suppressed.sorted { $0.key < $1.key }.map { SuppressedKey(key: $0, tally: $1) } }
    set {
      tally.suppressed = newValue.reduce(into: [:]) {
        $0[$1.key, default: SuppressedTally()].add($1.tally)
      }
    }
  }

  private var eventFacts: [EventFacts] {
    get {
      let days = PackedDays.ByName(counts.totals.days.packed)
      return events.indices.map {
        EventFacts(events[$0], UInt32($0), counts.totals, days[UInt32($0)])
      }
    }
    set {
      events = newValue.map(\.name)
      for (number, facts) in newValue.enumerated() { facts.add(to: &counts.totals, UInt32(number)) }
    }
  }
}

/// An input, its ledger, and its lines by dialect.
private struct InputFacts: Document {
  private var path = ""
  private var summary: InputSummary?
  private var start: InputStart?
  private var origins: [Int] = []
  private var isLog = true
  private var cutShort: Int?
  private var lost: Failure?
  private(set) var ledger = Ledger()
  private(set) var dialects: [NamedCount] = []

  static let fields: [Field<InputFacts>] = [
    .value("path", \.path), .part(\.summary, with: "compression"), .maybe("grown", \.start),
    .list("origins", \.origins), .value("log", \.isLog, unless: true),
    .maybe("cut_short", \.cutShort), .maybe("lost", \.lost), .value("ledger", \.ledger),
    .counts("dialects", \.dialects),
  ]

  init() {}

  init(_ outcome: InputOutcome, _ ledger: Ledger, _ dialects: [NamedCount]) {
    (path, summary, start) = (outcome.file.path, outcome.summary, outcome.file.start)
    origins = outcome.origins.map { Int($0.number) }
    (isLog, cutShort, lost) = (outcome.isLog, outcome.cutShort, outcome.lost)
    (self.ledger, self.dialects) = (ledger, dialects)
  }

  func check() throws(DocumentDamage) {
    guard origins.allSatisfy({ $0 >= 0 }) else {
      throw DocumentDamage("has a negative number").inside("origins")
    }
    try DialectFacts.check(dialects)
  }

  var outcome: InputOutcome {
    var file = InputFile(path: path, size: summary?.compressedBytes)
    file.start = start
    var outcome = InputOutcome(file: file, summary: summary, lost: lost?.at(path))
    outcome.origins = origins.map { InputSourceID(number: UInt64($0)) }
    (outcome.isLog, outcome.cutShort) = (isLog, cutShort)
    return outcome
  }
}

private struct SuppressedKey: Document {
  var key = Fingerprint.none
  var tally = SuppressedTally()

  static let fields: [Field<SuppressedKey>] = [.value("key", \.key), .part(\.tally)]

  func check() throws(DocumentDamage) {
    guard Rules.earliestTime..<Rules.endOfTime ~= tally.newest else {
      throw DocumentDamage("has a time that is not possible")
    }
  }
}

/// Remarks, by key and with samples.
private struct Remarks: Document {
  var keys = NameCounts()
  var remarks: [TallyFacts.CodeCount] = []

  static let fields: [Field<Remarks>] = [
    .counts("implausible_dates", \.keys.names),
    .count("other_implausible_dates", \.keys.others), .value("remarks", \.remarks),
  ]

  func check() throws(DocumentDamage) {
    guard remarks.map(\.code) == [.implausibleDate], remarks[0].count == keys.total else {
      throw DocumentDamage("has other remarks than keys with remarks")
    }
  }
}

/// The name of an event, and its totals if it has any.
private struct EventFacts: Document {
  private(set) var name = ""
  private var counts: Counts?

  private struct Counts: Document {
    var total = EventTotals.Total()
    var dialects: [NamedCount] = []
    var days: [CountPairs.Pair] = []
    var sourceNames = SourceNames()

    static let fields: [Field<Counts>] = [
      .count("count", \.total.count), .count("duplicates", \.total.duplicates),
      .value("first", \.total.seen.first, unless: Seen.never.first),
      .value("last", \.total.seen.last, unless: Seen.never.last),
      .counts("dialects", \.dialects), .days("days", \.days),
      .value("source_names", \.sourceNames, unless: SourceNames()),
    ]

    func check() throws(DocumentDamage) {
      let (seen, times) = (total.seen, Rules.earliestTime..<Rules.endOfTime)
      guard seen == .never || seen.first <= seen.last && times ~= seen.first && times ~= seen.last
      else { throw DocumentDamage("has times that are not possible") }
      guard days.reduce(0, { $0 &+ $1.count }) <= total.count else {
        throw DocumentDamage("counts more events than there are").inside("days")
      }
      try DialectFacts.check(dialects)
    }
  }

  static let fields: [Field<EventFacts>] = [.value("name", \.name), .part(\.counts, with: "count")]

  init() {}

  init(_ name: String, _ number: UInt32, _ totals: EventTotals, _ days: PackedDays.DaysOfName?) {
    self.name = name
    guard totals.contains(number) else { return }
    counts = Counts(
      total: totals[number],
      dialects: totals.dialects(of: number).map { NamedCount($0.dialect.name, $0.count) },
      days: days.map(Array.init) ?? [], sourceNames: totals.sourceNames(of: number))
  }

  func check() throws(DocumentDamage) {
    guard PartialFacts.isName(name) else {
      throw DocumentDamage("is not the name of an event").inside("name")
    }
  }

  func add(to totals: inout EventTotals, _ number: UInt32) {
    guard let counts else { return }
    totals.merge(number, counts.total)
    for item in counts.dialects {
      if let dialect = Dialect(recorded: item.name) {
        totals.merge(number, dialect, count: item.count)
      }
    }
    for (day, count) in counts.days {
      totals.days.add(count, EventDay(name: number, day: UInt16(day)))
    }
    totals.merge(number, counts.sourceNames)
  }
}

// MARK: - Kinds of rows

extension Field {
  /// Counts per day, in order: `[[DAY,COUNT],…]`; omitted when there are none.
  fileprivate static func days(_ name: StaticString, _ path: Path<[CountPairs.Pair]>) -> Field {
    row(name, path, omits: \.isEmpty) {
      CountPairs.write($0, to: &$1)
    } read: {
      value, reading throws(DocumentDamage) in
      try CountPairs.read(value, numbers: DayNumber.range, &reading)
    }
  }

  /// Duplicates, by their input and that of the kept event: `[[INPUT,INPUT,EARLIER,COUNT],…]`.
  static func pairs(_ name: StaticString, _ path: Path<[DuplicateTally.Pair: Int]>) -> Field {
    row(name, path) { pairs, json in
      json.array { json in
        for (pair, count) in pairs.sorted(by: { $0.key < $1.key }) {
          json.array { json in
            json.item(Int(pair.dropped.number))
            json.item(Int(pair.counted.number))
            json.item(pair.isEarlier)
            json.item(count)
          }
        }
      }
    } read: { value, reading throws(DocumentDamage) in
      var pairs: [DuplicateTally.Pair: Int] = [:]
      for parts in value.items.map(\.items) {
        guard parts.count == 4, let dropped = parts[0].int, let counted = parts[1].int,
          let isEarlier = parts[2].bool, dropped >= 0, counted >= 0
        else { throw .isNot("a list of pairs of inputs with counts") }
        let pair = DuplicateTally.Pair(
          dropped: InputSourceID(number: UInt64(dropped)),
          counted: InputSourceID(number: UInt64(counted)), isEarlier: isEarlier)
        pairs[pair, default: 0] += try parts[3].counted(in: 0..., &reading)
      }
      return pairs
    }
  }
}

extension DuplicateTally.Pair {
  /// An order that depends on the inputs alone.
  static func < (a: Self, b: Self) -> Bool {
    (a.dropped.number, a.counted.number, a.isEarlier ? 1 : 0)
      < (b.dropped.number, b.counted.number, b.isEarlier ? 1 : 0)
  }
}

/// The events of each day and the latest time: `[[DAY,EVENTS,TIME],…]`.
extension ReadDays: DocumentValue {
  package static var expected: String { "counts per day, each with a time of that day" }

  package func write(to json: inout JSONWriter) {
    json.array { json in
      for (number, day) in sorted {
        json.array { json in
          json.item(number)
          json.item(day.events)
          json.item(day.last)
        }
      }
    }
  }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> ReadDays {
    var days = ReadDays()
    for parts in value.items.map(\.items) {
      guard parts.count == 3, let number = parts[0].int, let last = parts[2].int,
        days.addNew(Day(events: try parts[1].counted(in: 1..., &reading), last: last), of: number)
      else { throw .isNot(expected) }
    }
    return days
  }
}
