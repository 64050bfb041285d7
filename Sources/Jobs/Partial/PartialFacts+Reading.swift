import Pipeline
import Stages

/// Why facts, or a manifest, are invalid.
struct FactsDamage: Error {
  let why: String

  init(_ why: String) { self.why = why }
}

/// Reading of `facts.json`.
extension PartialFacts {
  /// Reads what ``json()`` wrote.
  init(_ root: JSONValue) throws(FactsDamage) {
    guard root["eventmill_facts"]?.int == PartialFile.formatVersion else {
      throw FactsDamage("it has a format that this program does not read")
    }
    var counts = CountReader()
    var ledgers: [Ledger] = []
    var dialects = DialectFacts()
    for item in root["inputs"]?.items ?? [] {
      outcomes.append(try Self.outcome(item, &counts))
      ledgers.append(try counts.readAll(item["ledger"], "of a ledger"))
      try dialects.readLines(item["dialects"], &counts)
    }
    guard Self.isSorted(outcomes.map(\.file.path)) else {
      throw FactsDamage("inputs are not in order")
    }
    tally = TallyFacts(
      ledgers: ledgers,
      linesWithRejects: try counts.read(root["lines_with_rejects"], "lines_with_rejects"),
      reasons: try Self.codes(root["reasons"], inputs: ledgers.count, &counts),
      losses: try Self.codes(root["losses"], inputs: ledgers.count, &counts),
      unknownFields: try Self.names(root["unknown_fields"], "unknown_fields", &counts),
      otherUnknownFields: try counts.read(root["other_unknown_fields"], "other_unknown_fields"))
    try readRemarks(root, &counts)
    try dialects.readNotes(root, &counts)
    tally.dialects = dialects
    tally.suppressed = try SuppressedTally.read(root["kept_back"], &counts)
    if let policies = root["policies"] {
      guard let comparison = PolicyComparison(policies) else {
        throw FactsDamage("the comparison of policies is invalid")
      }
      tally.policies = comparison
    }
    for item in root["attributes"]?.items ?? [] {
      guard let key = item.text, Self.isName(key.hasPrefix("$") ? key.dropFirst() : key[...]) else {
        throw FactsDamage("an attribute key is invalid")
      }
      attributes.append(key)
    }
    for item in root["events"]?.items ?? [] { try readEvent(item, &counts) }
    guard Self.isSorted(events), Self.isSorted(attributes) else {
      throw FactsDamage("names are not in order")
    }
    duplicates = try Self.pairs(root["duplicates"], &counts)
    guard let hours = root["hours"].flatMap(HourCounts.init) else {
      throw FactsDamage("hours are not counts per hour")
    }
    try counts.take(hours.events)
    self.hours = hours
    totals.readDays = try Self.readDays(
      root["read_days"], of: hours.events, suppressed: tally.total.suppressed)
    alreadyRead = try Self.alreadyRead(root["skipped"])
    if let ignoredFiles = root["passed_over"] {
      self.ignoredFiles = try Self.ignoredFiles(ignoredFiles)
    }
    tracking = try TrackingCheck(facts: root, &counts)
    counted = counts.sum
  }

  private mutating func readRemarks(
    _ root: JSONValue, _ counts: inout CountReader
  ) throws(FactsDamage) {
    guard let remarks = root["remarks"] else { return }
    tally.implausibleDates = try Self.names(
      root["implausible_dates"], "implausible_dates", &counts)
    tally.otherImplausibleDates = try counts.read(
      root["other_implausible_dates"], "other_implausible_dates")
    var repeated = CountReader()
    let codes = try Self.codes(remarks, inputs: outcomes.count, &repeated)
    guard codes.map(\.code) == [.implausibleDate], codes[0].count == tally.remarks.first?.count
    else { throw FactsDamage("remarks are not those of the keys") }
    tally.implausibleSamples = codes[0].samples
  }

  private static func names(
    _ value: JSONValue?, _ what: String, _ counts: inout CountReader
  ) throws(FactsDamage) -> [(name: String, count: Int)] {
    var names: [(name: String, count: Int)] = []
    for (name, value) in value?.members ?? [] { names.append((name, try counts.read(value, what))) }
    return names
  }

  private static func readDays(
    _ list: JSONValue?, of events: Int, suppressed: Int
  ) throws(FactsDamage) -> ReadDays {
    var counts = CountReader()
    var days = ReadDays()
    for item in list?.items ?? [] {
      let parts = item.items
      guard parts.count == 3, let number = parts[0].int, let last = parts[2].int,
        days.addNew(
          ReadDays.Day(events: try counts.read(parts[1], "read_days"), last: last), of: number)
      else { throw FactsDamage("read_days are not counts per day, each with a time of that day") }
    }
    // A suppressed event without a time is of no day.
    guard 0...suppressed ~= days.events - events else {
      throw FactsDamage("days and hours count different events")
    }
    return days
  }

  private static func alreadyRead(_ list: JSONValue?) throws(FactsDamage) -> [AlreadyRead] {
    var sizes = CountReader()
    var inputs: [AlreadyRead] = []
    for item in list?.items ?? [] { inputs.append(try AlreadyRead(item, &sizes)) }
    guard isSorted(inputs.map(\.path)) else {
      throw FactsDamage("inputs that were skipped are not in order")
    }
    return inputs
  }

  private static func ignoredFiles(_ value: JSONValue) throws(FactsDamage) -> IgnoredFiles {
    var counts = CountReader()
    let count = try counts.read(value["count"], "passed_over")
    let paths = value["paths"]?.items.compactMap(\.text) ?? []
    let kinds = value["kinds"]?.items.compactMap(\.text) ?? []
    let files = zip(paths, kinds).map { IgnoredFiles.File(path: $0, what: $1) }
    guard paths.count == kinds.count, let ignoredFiles = IgnoredFiles(count: count, files: files)
    else {
      throw FactsDamage("passed_over does not name the files that it counts")
    }
    return ignoredFiles
  }

  private static func isSorted(_ names: [String]) -> Bool {
    zip(names, names.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether a text is a name in the form of states (data-model 6): other texts may be equal
  /// without having the same bytes.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard text.utf8.count <= Characters.longestName else { return false }
    let bytes = ByteBuffer(text: String(text))
    return Characters.nameShape(bytes.view) == .lowercase
  }

  private static func outcome(
    _ item: JSONValue, _ counts: inout CountReader
  ) throws(FactsDamage) -> InputOutcome {
    guard let path = item["path"]?.text else { throw FactsDamage("an input has no path") }
    // Not counted: lengths and offsets are not added up.
    var sizes = CountReader()
    var summary: InputSummary?
    if let form = item["compression"]?.text {
      guard let compression = Compression(rawValue: form), let hash = item["xxh64"]?.xxh64 else {
        throw FactsDamage("an input has an unknown compression or no hash")
      }
      summary = InputSummary(
        compression: compression, compressedBytes: try counts.read(item["bytes"], "bytes"),
        hash: hash,
        decompressedBytes: try counts.read(item["decompressed_bytes"], "decompressed_bytes"),
        lines: try counts.read(item["lines"], "lines"), content: try item.content(&sizes))
    }
    var file = InputFile(path: path, size: summary?.compressedBytes)
    file.start = try item.start(&sizes)
    var outcome = InputOutcome(file: file, summary: summary, lost: nil)
    for origin in item["origins"]?.items ?? [] {
      guard let number = origin.int, number >= 0 else {
        throw FactsDamage("an origin of redriven lines is not the number of an input")
      }
      outcome.origins.append(InputSourceID(number: UInt64(number)))
    }
    outcome.isLog = item["log"]?.bool ?? true
    outcome.cutShort = item["cut_short"]?.int
    if let lost = item["lost"] {
      guard let kind = lost["kind"]?.text.flatMap(Failure.Kind.init(rawValue:)),
        let doing = lost["doing"]?.text, let why = lost["why"]?.text
      else { throw FactsDamage("a lost input has no reason") }
      outcome.lost = Failure(
        kind, doing: doing, path: path, frame: lost["frame"]?.int, offset: lost["offset"]?.int,
        why: why)
    }
    return outcome
  }

  private static func codes(
    _ list: JSONValue?, inputs: Int, _ counts: inout CountReader
  ) throws(FactsDamage) -> [TallyFacts.CodeCount] {
    var codes: [TallyFacts.CodeCount] = []
    for item in list?.items ?? [] {
      let text = item["code"]?.text
      guard let code = text.flatMap({ ReasonCode($0) }) else {
        throw FactsDamage("a reason code is unknown")
      }
      var samples: [RunTally.Sample] = []
      for sample in item["samples"]?.items ?? [] {
        guard let input = sample["input"]?.int, 0..<inputs ~= input,
          let line = sample["line"]?.int, let path = sample["path"]?.text
        else { throw FactsDamage("a sample of \(code.text) is incomplete") }
        samples.append(
          RunTally.Sample(
            input: input, line: line, path: path, message: sample["message"]?.text,
            raw: sample["raw"]?.text))
      }
      guard !samples.isEmpty else { throw FactsDamage("\(code.text) has no sample") }
      codes.append(
        TallyFacts.CodeCount(
          code: code, count: try counts.read(item["count"], "a count"), samples: samples))
    }
    return codes
  }

  private mutating func readEvent(
    _ item: JSONValue, _ counts: inout CountReader
  ) throws(FactsDamage) {
    guard let name = item["name"]?.text, Self.isName(name) else {
      throw FactsDamage("the name of an event is invalid")
    }
    let number = UInt32(events.count)
    events.append(name)
    guard item["count"] != nil else { return }
    totals.mergeOfRun(
      number,
      EventTotals.Total(
        count: try counts.read(item["count"], "a count"),
        duplicates: try counts.read(item["duplicates"], "duplicates"),
        seen: try Self.times(item, of: name)))
    for (dialect, value) in item["dialects"]?.members ?? [] {
      guard let known = Dialect(recorded: dialect) else {
        throw FactsDamage("the dialect \(dialect) is unknown")
      }
      totals.merge(number, known, count: try counts.read(value, "a count"))
    }
    if let list = item["days"]?.node {
      guard
        let days = CountPairs.read(
          list.tape, at: list.index, numbers: DayNumber.range, counts: 1...FrameLayout.maximumCount),
        days.reduce(0, { $0 &+ $1.count }) <= totals[number].count
      else { throw FactsDamage("the days of \(name) are not counts per day of its events") }
      for (day, count) in days { totals.days.add(count, EventDay(name: number, day: UInt16(day))) }
    }
    if let list = item["source_names"]?.node {
      guard let names = SourceNames(of: list.tape, at: list.index) else {
        throw FactsDamage("the source names of \(name) are not a short sorted list of names")
      }
      totals.merge(number, names)
    }
  }

  /// The first and last time of a name's events; never, if none of them has a time.
  private static func times(_ item: JSONValue, of name: String) throws(FactsDamage) -> Seen {
    if item["first"] == nil, item["last"] == nil { return .never }
    let range = Rules.earliestTime..<Rules.endOfTime
    guard let first = item["first"]?.int, let last = item["last"]?.int, first <= last,
      range ~= first, range ~= last
    else { throw FactsDamage("the times of \(name) are invalid") }
    return Seen(first: first, last: last)
  }

  /// Reads the number of duplicates, by their input and that of the kept event.
  static func pairs(
    _ list: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> [DuplicateTally.Pair: Int] {
    var pairs: [DuplicateTally.Pair: Int] = [:]
    for item in list?.items ?? [] {
      let parts = item.items
      guard parts.count == 4, let dropped = parts[0].int, let counted = parts[1].int,
        let isEarlier = parts[2].bool, dropped >= 0, counted >= 0
      else { throw FactsDamage("duplicates are not a list of pairs") }
      let pair = DuplicateTally.Pair(
        dropped: InputSourceID(number: UInt64(dropped)),
        counted: InputSourceID(number: UInt64(counted)), isEarlier: isEarlier)
      pairs[pair, default: 0] += try counts.read(parts[3], "a count")
    }
    return pairs
  }
}

extension DialectFacts {
  /// Reads the lines per dialect of the next input; without them they are unknown.
  fileprivate mutating func readLines(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) {
    var input: [Int] = []
    for (name, value) in value?.members ?? [] {
      guard let dialect = Dialect(recorded: name) else {
        throw FactsDamage("the dialect \(name) is unknown")
      }
      input.add(try counts.read(value, "a count of lines"), of: dialect)
    }
    lines.append(input)
  }

  /// Reads what ``writeNotes(to:)`` wrote.
  fileprivate mutating func readNotes(
    _ root: JSONValue, _ counts: inout CountReader
  ) throws(FactsDamage) {
    for (name, value) in root["internal_events"]?.members ?? [] {
      internalEvents.append(.init(name: name, count: try counts.read(value, "internal_events")))
    }
    for (name, value) in root["ignored_actions"]?.members ?? [] {
      ignoredActions.append(.init(name: name, count: try counts.read(value, "ignored_actions")))
    }
    if let value = root["logouts"] { logouts = try counts.read(value, "logouts") }
  }
}
