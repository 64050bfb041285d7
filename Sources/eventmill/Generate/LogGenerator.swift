import Pipeline

/// Makes the lines of synthetic logs: of one dialect, or about 55 % v1 events, 35 % v2 events, 10 %
/// changes of attributes, 250 bytes a line.
///
/// A line follows from the options and its number alone. Nothing is allocated per line.
struct LogGenerator {
  /// What a line of the mix is about.
  private enum Kind {
    case eventV1
    case eventV2
    case updateV1
    case updateV2
    case link
  }

  /// What lines are made of: a dialect, nil for the mix of v1 and v2, and the faults they can have.
  private struct Source {
    let dialect: (any DialectLog.Type)?
    let faults: [FaultyLine]

    init(_ dialect: (any DialectLog.Type)?) {
      self.dialect = dialect
      faults = dialect?.faults ?? FaultyLine.catalogue(for: .mixed)
    }
  }

  let options: GenerateOptions
  let vocabulary = Vocabulary()
  private let clock: LogClock
  private let source: Source
  /// What the lines of an archive of both are made of before it went over to v2, and afterwards.
  private let before = Source(V1Log.self)
  private let after = Source(V2Log.self)
  /// When an archive went over to v2, and when its last v1 line was written; in milliseconds.
  /// Nights are of one source.
  private let change: Range<Int>?
  /// What lines follow from next to their numbers: the seed, and the dialect, so that logs of
  /// different systems tell of the same people, but not all of the same moments.
  private let lineSeed: Int
  /// What event ids are made from, so that other seeds make other ids.
  private let idSeed: UInt64

  /// Events a line has at most, as a power of two: ids are numbered by line and event.
  static let mostEventsLog = 2

  init(_ options: GenerateOptions) {
    self.options = options
    clock = LogClock(options)
    source = Source(options.dialect.map(DialectLogs.named))
    change = LogGenerator.change(options)
    lineSeed = LogGenerator.lineSeed(options)
    idSeed = LogRandom.mix(UInt64(bitPattern: Int64(lineSeed)) &+ 0x5EED) << 32
  }

  /// Appends line number `line`, 0-based, with its line end.
  func append(_ line: Int, to text: inout ByteBuffer) {
    append(line, with: nil, to: &text)
  }

  /// Appends a line with the fault, at the time and of the person of line number `line`, with its
  /// line end; without one, line number `line` itself.
  func append(_ line: Int, with extraFault: FaultyLine?, to text: inout ByteBuffer) {
    var random = LogRandom(seed: lineSeed, line: line)
    let time = clock.time(ofLine: line, &random)
    let source = source(at: time)
    let person = Person.choose(of: options.users, seed: options.seed, &random)
    var draft = Draft(
      line: line, time: time, person: person,
      identity: person.identity(at: clock.progress(at: time), &random), random: random)
    if let fault = extraFault ?? fault(line, source) {
      fault.append(draft, eventID: eventID(line, 0), to: &text)
    } else if let dialect = source.dialect {
      dialect.append(&draft, of: self, to: &text)
    } else {
      appendMixed(&draft, to: &text)
    }
    text.append(UInt8(ascii: "\n"))
  }

  private func appendMixed(_ draft: inout Draft, to text: inout ByteBuffer) {
    switch kind(&draft) {
    case .eventV1: appendEventV1(&draft, to: &text)
    case .eventV2: appendEventsV2(&draft, to: &text)
    case .updateV1: appendUpdateV1(&draft, to: &text)
    case .updateV2: appendUpdateV2(&draft, to: &text)
    case .link: appendLink(draft, to: &text)
    }
  }

  /// The time of line number `line`, in milliseconds.
  func time(ofLine line: Int) -> Int {
    var random = LogRandom(seed: lineSeed, line: line)
    return clock.time(ofLine: line, &random)
  }

  /// An archive of both dialects is v1 up to its last year and v2 from then on; in the first
  /// quarter of that year some servers write the one, some the other.
  private static func change(_ options: GenerateOptions) -> Range<Int>? {
    guard options.years != nil, options.dialect == nil else { return nil }
    let end = options.period.upperBound
    return LogClock.start(ofYear: LogClock.year(of: end - 1))..<end - LogClock.lastQuarters
  }

  private func source(at time: Int) -> Source {
    guard let change else { return source }
    if time < change.lowerBound { return before }
    return time < change.upperBound ? source : after
  }

  private func kind(_ draft: inout Draft) -> Kind {
    switch draft.random.below(1000) {
    case 0..<550: .eventV1
    case 550..<900: .eventV2
    case 900..<930: .updateV1
    case 930..<935 where draft.identity == .both: .link
    default: .updateV2
    }
  }

  /// The seed of the options for v1, v2 and their mix.
  private static func lineSeed(_ options: GenerateOptions) -> Int {
    guard let dialect = options.dialect.map(DialectLogs.named),
      dialect != V1Log.self, dialect != V2Log.self
    else { return options.seed }
    return Int(truncatingIfNeeded: XXH64.hash(ByteView(dialect.name)) ^ UInt64(options.seed))
  }

  /// The fault that `line` has: faulty lines are spread evenly, and all faults take turns.
  private func fault(_ line: Int, _ source: Source) -> FaultyLine? {
    let million = 1_000_000
    let before = line * options.faultsPerMillion / million
    guard (line + 1) * options.faultsPerMillion / million > before else { return nil }
    return source.faults[before % source.faults.count]
  }

  /// The bits of an event's id; no two events of one seed have the same.
  func eventID(_ line: Int, _ event: Int) -> UInt64 {
    LogRandom.mix(idSeed ^ UInt64(line << LogGenerator.mostEventsLog + event))
  }
}

/// What is known of a line before it is written.
struct Draft {
  let line: Int
  /// In milliseconds.
  let time: Int
  let person: Person
  let identity: Identity
  var random: LogRandom
}

// MARK: - Parts of several dialects

extension LogGenerator {
  /// Appends `"id":"…",`.
  func appendEventID(_ id: UInt64, to text: inout ByteBuffer) {
    text.append("\"id\":\"")
    HexDigits.append(id, 16, .lower, to: &text)
    text.append("\",")
  }

  /// Appends `"custom_id":"…","installation_id":"…"`, or the one that the line has.
  func appendIDs(_ draft: Draft, to text: inout ByteBuffer) {
    if draft.identity != .installation {
      text.append("\"custom_id\":\"")
      draft.person.appendCustomID(to: &text)
      text.append(UInt8(ascii: "\""))
    }
    if draft.identity == .both { text.append(UInt8(ascii: ",")) }
    if draft.identity != .custom {
      text.append("\"installation_id\":\"")
      draft.person.appendInstallationID(to: &text)
      text.append(UInt8(ascii: "\""))
    }
  }

  /// Appends a list of one to three different words, as a JSON array.
  func appendWords(
    _ words: [StaticString], _ random: inout LogRandom, to text: inout ByteBuffer
  ) {
    let first = random.below(words.count)
    text.append(UInt8(ascii: "["))
    for index in 0...random.below(3) {
      text.append(index == 0 ? "\"" : ",\"")
      text.append(words[(first + index) % words.count])
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends an amount of money with two decimals.
  func appendAmount(_ random: inout LogRandom, to text: inout ByteBuffer) {
    let cents = random.below(40_000)
    text.append(decimal: cents / 100)
    text.append(UInt8(ascii: "."))
    text.append(UInt8(ascii: "0") + UInt8(cents / 10 % 10))
    text.append(UInt8(ascii: "0") + UInt8(cents % 10))
  }
}
