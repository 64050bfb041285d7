package import Pipeline
package import Stages

/// The counts of a run besides the state. Filled block by block in input order, so samples are the
/// first ones. One queue at a time.
package struct RunTally: ~Copyable {
  /// Most samples of one loss code in the report.
  package static let samples = 10

  /// One occurrence of a reason or loss in the report.
  package struct Sample: Document, Sendable {
    /// Longest sample of a line, in bytes.
    static let longestRaw = 400

    package var input = 0
    package private(set) var line = 0
    /// The path in the line, as in `attributes.price`.
    package private(set) var path = ""
    /// For a reason: the fault, as a sentence.
    package private(set) var message: String?
    /// For a reason: the line, or its beginning; nil if it names an erased person.
    package private(set) var raw: String?

    package static let fields: [Field<Sample>] = [
      .value("input", \.input), .value("line", \.line), .value("path", \.path),
      .maybe("message", \.message), .maybe("raw", \.raw),
    ]

    package init() {}

    init(input: Int, line: Int, path: String, message: String? = nil, raw: String? = nil) {
      (self.input, self.line, self.path) = (input, line, path)
      (self.message, self.raw) = (message, raw)
    }
  }

  package private(set) var ledgers: [Ledger]
  private var codes = CodeTally()
  private var dialects: DialectTally
  package private(set) var linesWithRejects = 0
  /// The suppressed events by day: they are not routed, but were read (data-model 12.3).
  private(set) var suppressedDays = ReadDays()

  package init(inputs: Int) {
    ledgers = Array(repeating: Ledger(), count: inputs)
    dialects = DialectTally(inputs: inputs)
  }

  package var facts: TallyFacts {
    var facts = codes.facts
    (facts.ledgers, facts.linesWithRejects) = (ledgers, linesWithRejects)
    facts.dialects = dialects.facts
    return facts
  }

  package mutating func setLines(_ lines: Int, of input: Int) { ledgers[input].lines = lines }

  mutating func setLines(of outcomes: [InputOutcome]) {
    for (input, read) in outcomes.enumerated() { setLines(read.summary?.lines ?? 0, of: input) }
  }

  /// Adds a block that all stages and shards are done with. Duplicates count as accepted until they
  /// are found (``TallyFacts/takeBack(_:of:)``).
  package mutating func add(_ unit: WorkUnit) { add(unit, of: unit.block.input) }

  /// The same for a tally with its own numbering of the inputs.
  mutating func add(_ unit: WorkUnit, of input: Int) {
    let (batch, block) = (unit.batch, unit.block)
    var ledger = ledgers[input]
    if !countWhole(batch, into: &ledger) { countParts(of: unit, input: input, into: &ledger) }
    ledgers[input] = ledger
    codes.add(lossesOf: batch) { line, path in
      Sample(input: input, line: block.number(of: batch.lines[line]), path: path)
    }
    dialects.add(batch, of: input)
  }

  /// Counts a block without rejects, which is the usual case; false for any other. Counts both
  /// sides of the ledger's equations: the entries of the reader, and their marks.
  private func countWhole(_ batch: RecordBatch, into ledger: inout Ledger) -> Bool {
    let (blank, records) = (batch.lines(.blank), batch.lines(.record))
    let accepted = batch.events(.accepted)
    let outside = accepted == batch.events.count ? 0 : batch.events(.outside)
    let applied = batch.appliedOperations
    guard blank + records == batch.lines.count, accepted + outside == batch.events.count,
      applied == batch.operations.count
    else { return false }
    ledger.blank += blank + batch.blankLines
    ledger.records += records
    ledger.events += batch.events.count
    ledger.accepted += accepted
    ledger.outside += outside
    ledger.operations += batch.operations.count
    ledger.applied += applied
    return true
  }

  private mutating func countParts(of unit: WorkUnit, input: Int, into ledger: inout Ledger) {
    let batch = unit.batch
    ledger.blank += batch.blankLines
    for index in batch.lines.indices {
      let line = batch.lines[index]
      let before = ledger.rejected + ledger.refused
      switch line.outcome {
      case .blank: ledger.blank += 1
      case .rejected:
        ledger.rejectedLines += 1
        linesWithRejects += 1
        add(line.reasons, of: unit, input: input, line: index)
      case .record:
        ledger.records += 1
        for record in batch.records(of: line) {
          count(batch.records[record], of: unit, input: input, line: index, into: &ledger)
        }
        if ledger.rejected + ledger.refused > before { linesWithRejects += 1 }
      }
    }
  }

  private mutating func count(
    _ record: RecordEntry, of unit: WorkUnit, input: Int, line: Int, into ledger: inout Ledger
  ) {
    let batch = unit.batch
    ledger.events += Int(record.eventCount)
    ledger.operations += Int(record.operationCount)
    for index in record.eventIndices {
      let event = batch.events[index]
      switch event.outcome {
      case .accepted: ledger.accepted += 1
      case .suppressed:
        ledger.suppressed += 1
        if event.timing != .absent { suppressedDays.add(eventAt: event.time) }
      case .outside: ledger.outside += 1
      case .rejected:
        ledger.rejected += 1
        add(event.reasons, of: unit, input: input, line: line)
      }
    }
    for index in record.operationIndices {
      let operation = batch.operations[index]
      if operation.isApplied || operation.isSuppressed {
        ledger.applied += 1
      } else {
        ledger.refused += 1
        add(operation.reasons, of: unit, input: input, line: line)
      }
    }
  }

  private mutating func add(_ range: ReasonRange, of unit: WorkUnit, input: Int, line: Int) {
    for index in range.indices {
      let reason = unit.batch.reasons[index]
      codes.add(reason.code) {
        let path = unit.batch.reasons.path(reason).text
        return Sample(
          input: input, line: unit.block.number(of: unit.batch.lines[line]),
          path: path, message: reason.message(at: path), raw: Self.raw(line, of: unit))
      }
    }
  }

  /// The text of a line for a sample; nil where the rejects withhold it.
  private static func raw(_ index: Int, of unit: WorkUnit) -> String? {
    guard !unit.rejects.withheld.contains(index) else { return nil }
    let line = unit.batch.lines[index]
    let bytes = unit.block.bytes[Int(line.start)..<Int(line.start) + Int(line.length)]
    let shown = bytes[0..<min(bytes.count, Sample.longestRaw)]
    let text = String(decoding: shown.array, as: UTF8.self)
    return shown.count < bytes.count || unit.block.overlong != nil ? text + "…" : text
  }
}

/// The counts of a whole run.
package struct TallyFacts: Sendable {
  /// The number of occurrences of a code, with its first samples.
  package struct CodeCount: Document, Sendable {
    package private(set) var code = ReasonCode.allCases[0]
    package private(set) var count = 0
    package private(set) var samples: [RunTally.Sample] = []

    package static let fields: [Field<CodeCount>] = [
      .value("code", \.code), .count("count", \.count), .value("samples", \.samples),
    ]

    package init() {}

    init(code: ReasonCode, count: Int, samples: [RunTally.Sample]) {
      (self.code, self.count, self.samples) = (code, count, samples)
    }

    package func check() throws(DocumentDamage) {
      guard !samples.isEmpty else { throw DocumentDamage("has no sample of \(code.text)") }
    }
  }

  package internal(set) var ledgers: [Ledger] = []
  package internal(set) var linesWithRejects = 0
  /// Reasons that occurred, in the order of ``ReasonCode``; a part with two reasons counts twice.
  package internal(set) var reasons: [CodeCount] = []
  package internal(set) var losses: [CodeCount] = []
  /// Lost fields that no rule reads.
  package internal(set) var unknownFields = NameCounts()
  /// Keys of accepted dates that are implausible (data-model 19), and the first of these.
  package internal(set) var implausibleDates = NameCounts()
  package internal(set) var implausibleSamples: [RunTally.Sample] = []
  /// Lines per dialect, and the ignored content of some dialects.
  package var dialects = DialectFacts()
  /// Suppressed data by the digest of its owner's keys.
  var suppressed: SuppressedTally.Table = [:]

  package var remarks: [CodeCount] {
    let count = implausibleDates.total
    return count == 0
      ? [] : [CodeCount(code: .implausibleDate, count: count, samples: implausibleSamples)]
  }

  /// Turns `count` accepted events into duplicates, as far as possible of the first of `inputs`.
  mutating func takeBack(_ count: Int, of inputs: [Int]) {
    var rest = count
    for input in inputs {
      let taken = min(rest, ledgers[input].accepted)
      ledgers[input].accepted -= taken
      ledgers[input].duplicates += taken
      rest -= taken
    }
  }

  package var total: Ledger {
    var sum = Ledger()
    for ledger in ledgers { sum.add(ledger) }
    return sum
  }
}

/// What runs and redrives count alike: reasons, losses and remarks, with their first samples, and
/// the names in them. Filled block by block in order. One queue at a time.
struct CodeTally: ~Copyable {
  private var reasons = Codes(samples: 1)
  private var losses = Codes(samples: RunTally.samples)
  private var remarks = Codes(samples: RunTally.samples)
  private var unknownFields = UnknownFields()
  private var implausibleDates = UnknownFields()
  /// The names of the block being counted.
  private var names = FieldTally()

  private struct Codes {
    private let most: Int
    private var counts = [Int](repeating: 0, count: ReasonCode.allCases.count)
    private var samples: [[RunTally.Sample]]

    init(samples most: Int) {
      self.most = most
      samples = Array(repeating: [], count: ReasonCode.allCases.count)
    }

    mutating func add(_ code: ReasonCode, _ sample: () -> RunTally.Sample) {
      let index = Int(code.rawValue)
      counts[index] += 1
      if samples[index].count < most { samples[index].append(sample()) }
    }

    /// The codes that occurred, in the order of ``ReasonCode``.
    var found: [TallyFacts.CodeCount] {
      ReasonCode.allCases.compactMap { code in
        let index = Int(code.rawValue)
        guard counts[index] > 0 else { return nil }
        return TallyFacts.CodeCount(code: code, count: counts[index], samples: samples[index])
      }
    }
  }

  mutating func add(_ reason: ReasonCode, _ sample: () -> RunTally.Sample) {
    reasons.add(reason, sample)
  }

  /// Counts the losses and remarks of a block; with `all` also losses of rejected parts. `number`
  /// is that of an event in its line, where it differs; `sample` makes one of a line and a path in
  /// it.
  mutating func add(
    lossesOf batch: RecordBatch, all: Bool = false, number: ((_ event: Int) -> Int)? = nil,
    _ sample: (_ line: Int, _ path: String) -> RunTally.Sample
  ) {
    func located(_ path: ByteView, at site: FindingSite) -> RunTally.Sample {
      var text = ByteBuffer(capacity: 64)
      batch.appendPath(path, at: site, to: &text, number: number)
      return sample(batch.line(of: site), text.view.text)
    }
    for index in batch.lossesByLine() where all || batch.counts(loss: index) {
      if let name = batch.unknownField(ofLoss: index) { names.add(name) }
      losses.add(batch.losses[index].code) {
        located(batch.losses.path(index), at: batch.losses[index].site)
      }
    }
    unknownFields.add(names)
    names.recycle()
    for index in 0..<batch.remarks.count where batch.counts(remark: index) {
      names.add(batch.key(ofRemark: index))
      remarks.add(batch.remarks[index].code) {
        located(batch.remarks.path(index), at: batch.remarks[index].site)
      }
    }
    implausibleDates.add(names)
    names.recycle()
  }

  var facts: TallyFacts {
    TallyFacts(
      reasons: reasons.found, losses: losses.found, unknownFields: NameCounts(unknownFields),
      implausibleDates: NameCounts(implausibleDates),
      implausibleSamples: remarks.found.flatMap(\.samples))
  }
}

// MARK: - Limits

extension TallyFacts {
  /// The failure to end with when more lines have a rejected part than `--max-rejects` allows, a
  /// number or a share of the lines that are not blank. The `lost` lines of inputs that are not
  /// logs do not count: those inputs are reported separately.
  package func excess(of options: ReadOptions, besides lost: Int = 0) -> Failure? {
    let (rejects, lines) = (linesWithRejects - lost, total.lines - total.blank - lost)
    guard let limit = options.maxRejects else { return nil }
    let isExceeded =
      switch limit {
      case .lines(let count): rejects > count
      case .percent(let share): Double(rejects) * 100 > share * Double(lines)
      }
    guard isExceeded else { return nil }
    return Failure(
      .rejects, doing: "checking --max-rejects",
      why: "\(NumberFormat.grouped(rejects)) of \(NumberFormat.count(lines, "line")) "
        + "\(rejects == 1 ? "has" : "have") a rejected part, more than \(limit.text)",
      advice: ["fix the logs", "raise --max-rejects"])
  }

  /// The lines of inputs that are not logs.
  func lostLines(of inputs: [InputOutcome]) -> Int {
    zip(inputs, ledgers).reduce(0) { sum, input in
      input.0.lost != nil && !input.0.isLog ? sum + input.1.rejectedLines : sum
    }
  }
}
