import Jobs
import Pipeline
import Stages

/// Makes the lines of synthetic logs.
///
/// A line depends only on the options and its number. Nothing is allocated per line.
struct LogGenerator {
  let options: GenerateOptions
  /// Greatest delay of a line's time relative to its position in the file, in milliseconds.
  private static let jitter = 90_000
  private let source: DialectLog
  /// The seed of lines besides their numbers.
  private let lineSeed: Int
  /// The seed of event ids, so that other seeds make other ids.
  private let idSeed: UInt64

  /// A generator of these logs, or of those of another system: they share the people, but not all
  /// times.
  init(_ options: GenerateOptions, of source: DialectLog? = nil, lineSeed: Int? = nil) {
    (self.options, self.source) = (options, source ?? DialectLog(options.format))
    self.lineSeed = lineSeed ?? options.seed
    idSeed = LogRandom.mix(UInt64(bitPattern: Int64(self.lineSeed)) &+ 0x5EED) << 32
  }

  /// Lines between two checks for a signal.
  private static let patience = 4096

  /// Calls `body` with the number and the text of each of these lines.
  func forEach(
    of lines: some Sequence<Int>, _ control: JobControl,
    _ body: (Int, ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    var text = ByteBuffer(capacity: 1024)
    for line in lines {
      if line.isMultiple(of: Self.patience) { try control.check() }
      text.removeAll()
      append(line, to: &text)
      try body(line, text.view)
    }
  }

  /// Appends line number `line`, 0-based, with its line end; with a fault, one with that fault at
  /// its time and of its person.
  func append(_ line: Int, with extraFault: FaultyLine? = nil, to text: inout ByteBuffer) {
    var random = LogRandom(seed: lineSeed, line: line)
    let time = time(ofLine: line, &random)
    // In 1024ths of all nights.
    let progress = (time - options.start) * 1024 / options.period.count
    let person = Person.choose(of: options.users, seed: options.seed, &random)
    var draft = Draft(
      line: line, time: time, person: person, identity: person.identity(at: progress, &random),
      idSeed: idSeed, random: random)
    if let fault = extraFault ?? fault(line) {
      fault.append(&draft, to: &text)
    } else {
      source.lines.append(source.line, &draft, to: &text)
    }
    text.append(UInt8(ascii: "\n"))
  }

  /// The time of a line, in milliseconds: ascending over its night, with some disorder.
  private func time(ofLine line: Int, _ random: inout LogRandom) -> Int {
    let (night, day) = (options.night(ofLine: line), GenerateOptions.millisecondsPerDay)
    let lines = options.lines(ofNight: night)
    let position = Double(line - lines.lowerBound) / Double(max(lines.count, 1))
    let sinceMidnight = Int(position * Double(day)) - random.below(Self.jitter)
    return options.start + night * day + max(0, sinceMidnight)
  }

  /// The fault of `line`, if any: faulty lines are spread evenly, and all faults alternate.
  private func fault(_ line: Int) -> FaultyLine? {
    let million = 1_000_000
    let before = line * options.faultsPerMillion / million
    guard (line + 1) * options.faultsPerMillion / million > before else { return nil }
    return source.faults[before % source.faults.count]
  }
}

/// A line being written: its given properties, and the random choices of its text.
struct Draft {
  static let mostVariables = 8
  /// Most events of a line, as a power of two: ids are numbered by line and event.
  private static let mostEventsLog = 2

  let line: Int
  let time: Int
  let person: Person
  let identity: Identity
  let idSeed: UInt64
  var random: LogRandom
  /// The number of the current event, from 0.
  var event = 0
  var variables = SIMD8<Int>()

  /// The bits of the event's id; unique within one seed.
  var eventID: UInt64 { LogRandom.mix(idSeed ^ UInt64(line << Draft.mostEventsLog + event)) }
}

/// Synthetic logs: good lines and faults.
struct DialectLog: Sendable {
  let lines: LineGrammar
  let line: Int
  /// Lines with every fault, which alternate in this order, the typical ones first.
  let faults: [FaultyLine]

  init(_ line: String, of lines: LineGrammar, faults: [FaultyLine]) {
    (self.lines, self.line, self.faults) = (lines, lines.rule(line), faults)
  }
}

extension DialectLog {
  private static let nativeLines = LineGrammar(PackageResources.native_lines_txt)
  private static let nativeFaults = FaultyLine.all(in: PackageResources.native_faults_txt)

  /// Faults that only `v2` has: another one in the cycle of `mixed` would change all later ones,
  /// and sample-data is older than these.
  private static let newer: Set<ReasonCode> = [.locationInvalid, .needsInstallationID]

  init(_ format: GenerateOptions.Format) {
    let faults = Self.nativeFaults.filter { fault in
      switch format {
      case .mixed: !Self.newer.contains(fault.code)
      case .v1: !fault.frame.hasPrefix("v2")
      case .v2: !fault.frame.hasPrefix("v1")
      }
    }
    self.init(format.rawValue, of: Self.nativeLines, faults: faults)
  }
}

/// A line with a fault: a row of a table of faults (see ``LineGrammar``).
struct FaultyLine: Sendable {
  /// The code of the rejection or loss, the rule around the text, and that of the text.
  typealias Row = (code: ReasonCode, frame: String, rule: Int)

  private let row: Row
  private let grammar: LineGrammar

  var code: ReasonCode { row.code }
  var frame: String { row.frame }

  static func all(
    in table: [UInt8], _ holes: [String: LineGrammar.Hole] = LineGrammar.holes
  ) -> [FaultyLine] {
    let grammar = LineGrammar(table, holes)
    return grammar.faults.map { FaultyLine(row: $0, grammar: grammar) }
  }

  /// Appends the line for `draft`, without a line end.
  func append(_ draft: inout Draft, to text: inout ByteBuffer) {
    grammar.append(row.rule, &draft, to: &text)
  }
}
