import Pipeline

/// Makes the lines of synthetic logs: of one dialect, or of the mix of v1 and v2.
///
/// A line depends only on the options and its number. Nothing is allocated per line.
struct LogGenerator {
  let options: GenerateOptions
  private let clock: LogClock
  private let source: DialectLog
  /// When an archive switched to v2, and when its last v1 line was written; in milliseconds. Nights
  /// have a single source.
  private let change: Range<Int>?
  /// The seed of lines besides their numbers: from the seed and the dialect, so that logs of
  /// different systems share the people, but not all times.
  private let lineSeed: Int
  /// The seed of event ids, so that other seeds make other ids.
  private let idSeed: UInt64

  init(_ options: GenerateOptions) {
    self.options = options
    clock = LogClock(options)
    source = options.dialect.map(DialectLog.named) ?? .mixed
    change = LogGenerator.change(options)
    lineSeed = LogGenerator.lineSeed(options)
    idSeed = LogRandom.mix(UInt64(bitPattern: Int64(lineSeed)) &+ 0x5EED) << 32
  }

  /// Appends line number `line`, 0-based, with its line end.
  func append(_ line: Int, to text: inout ByteBuffer) {
    append(line, with: nil, to: &text)
  }

  /// Appends a line with the fault, at the time and of the person of line number `line`, with its
  /// line end; without a fault, line number `line` itself.
  func append(_ line: Int, with extraFault: FaultyLine?, to text: inout ByteBuffer) {
    var random = LogRandom(seed: lineSeed, line: line)
    let time = clock.time(ofLine: line, &random)
    let source = source(at: time)
    let person = Person.choose(of: options.users, seed: options.seed, &random)
    var draft = Draft(
      line: line, time: time, person: person,
      identity: person.identity(at: clock.progress(at: time), &random), idSeed: idSeed,
      random: random)
    if let fault = extraFault ?? fault(line, source) {
      fault.append(&draft, to: &text)
    } else {
      source.lines.append(source.line, &draft, to: &text)
    }
    text.append(UInt8(ascii: "\n"))
  }

  /// The time of line number `line`, in milliseconds.
  func time(ofLine line: Int) -> Int {
    var random = LogRandom(seed: lineSeed, line: line)
    return clock.time(ofLine: line, &random)
  }

  /// An archive of both dialects is v1 up to its last year and v2 from then on; in the first
  /// quarter of that year servers use either.
  private static func change(_ options: GenerateOptions) -> Range<Int>? {
    guard options.years != nil, options.dialect == nil else { return nil }
    let end = options.period.upperBound
    return LogClock.start(ofYear: LogClock.year(of: end - 1))..<end - LogClock.lastQuarters
  }

  private func source(at time: Int) -> DialectLog {
    guard let change else { return source }
    if time < change.lowerBound { return .v1 }
    return time < change.upperBound ? source : .v2
  }

  /// The seed of the options for v1, v2 and their mix.
  private static func lineSeed(_ options: GenerateOptions) -> Int {
    guard let dialect = options.dialect, GenerateOptions.Format(rawValue: dialect) == nil else {
      return options.seed
    }
    let name = DialectLog.named(dialect).name
    return Int(truncatingIfNeeded: XXH64.hash(ByteView(name)) ^ UInt64(options.seed))
  }

  /// The fault of `line`, if any: faulty lines are spread evenly, and all faults alternate.
  private func fault(_ line: Int, _ source: DialectLog) -> FaultyLine? {
    let million = 1_000_000
    let before = line * options.faultsPerMillion / million
    guard (line + 1) * options.faultsPerMillion / million > before else { return nil }
    return source.faults[before % source.faults.count]
  }
}

/// A line being written: its given properties, and the random choices of its text.
struct Draft {
  /// Most variables of a line.
  static let mostVariables = 8
  /// Most events of a line, as a power of two: ids are numbered by line and event.
  private static let mostEventsLog = 2

  let line: Int
  /// In milliseconds.
  let time: Int
  let person: Person
  let identity: Identity
  /// The seed of event ids.
  let idSeed: UInt64
  var random: LogRandom
  /// The number of the current event, from 0.
  var event = 0
  var variables = SIMD8<Int>()

  /// The bits of the event's id; unique within one seed.
  var eventID: UInt64 {
    LogRandom.mix(idSeed ^ UInt64(line << Draft.mostEventsLog + event))
  }
}
