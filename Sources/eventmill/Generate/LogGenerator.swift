import Pipeline

/// Makes the lines of synthetic logs: about 55 % v1 events, 35 % v2 events, 10 % changes of
/// attributes, 250 bytes a line.
///
/// A line follows from the options and its number alone. Nothing is allocated per line.
struct LogGenerator {
  /// What a line is about.
  private enum Kind {
    case eventV1
    case eventV2
    case updateV1
    case updateV2
    case link
  }

  let options: GenerateOptions
  let vocabulary = Vocabulary()
  private let clock: LogClock
  private let faults: [GenerateOptions.Format: [FaultyLine]]
  /// When an archive went over to v2, and when its last v1 line was written; in milliseconds. Nights
  /// have one format.
  private let change: Range<Int>?
  /// What event ids are made from, so that other seeds make other ids.
  private let idSeed: UInt64

  /// Events a line has at most, as a power of two: ids are numbered by line and event.
  static let mostEventsLog = 2

  init(_ options: GenerateOptions) {
    self.options = options
    clock = LogClock(options)
    faults = Dictionary(
      uniqueKeysWithValues: GenerateOptions.Format.allCases.map {
        ($0, FaultyLine.catalogue(for: $0))
      })
    change = LogGenerator.change(options)
    idSeed = LogRandom.mix(UInt64(options.seed) &+ 0x5EED) << 32
  }

  /// Appends line number `line`, 0-based, with its line end.
  func append(_ line: Int, to text: inout ByteBuffer) {
    append(line, with: nil, to: &text)
  }

  /// Appends a line with the fault, at the time and of the person of line number `line`, with its line
  /// end; without one, line number `line` itself.
  func append(_ line: Int, with extraFault: FaultyLine?, to text: inout ByteBuffer) {
    var random = LogRandom(seed: options.seed, line: line)
    let time = clock.time(ofLine: line, &random)
    let format = format(at: time)
    let person = Person.choose(of: options.users, seed: options.seed, &random)
    var draft = Draft(
      line: line, time: time, person: person,
      identity: person.identity(at: clock.progress(at: time), &random), random: random)
    if let fault = extraFault ?? fault(line, format) {
      fault.append(draft, eventID: eventID(line, 0), to: &text)
    } else {
      switch kind(format, &draft) {
      case .eventV1: appendEventV1(&draft, to: &text)
      case .eventV2: appendEventsV2(&draft, to: &text)
      case .updateV1: appendUpdateV1(&draft, to: &text)
      case .updateV2: appendUpdateV2(&draft, to: &text)
      case .link: appendLink(draft, to: &text)
      }
    }
    text.append(UInt8(ascii: "\n"))
  }

  /// The time of line number `line`, in milliseconds.
  func time(ofLine line: Int) -> Int {
    var random = LogRandom(seed: options.seed, line: line)
    return clock.time(ofLine: line, &random)
  }

  /// An archive of both dialects is v1 up to its last year and v2 from then on; in the first quarter of
  /// that year some servers write the one, some the other.
  private static func change(_ options: GenerateOptions) -> Range<Int>? {
    guard options.years != nil, options.format == .mixed else { return nil }
    let end = options.period.upperBound
    return LogClock.start(ofYear: LogClock.year(of: end - 1))..<end - LogClock.lastQuarters
  }

  private func format(at time: Int) -> GenerateOptions.Format {
    guard let change else { return options.format }
    if time < change.lowerBound { return .v1 }
    return time < change.upperBound ? .mixed : .v2
  }

  private func kind(_ format: GenerateOptions.Format, _ draft: inout Draft) -> Kind {
    let place = draft.random.below(1000)
    switch format {
    case .mixed:
      switch place {
      case 0..<550: return .eventV1
      case 550..<900: return .eventV2
      case 900..<930: return .updateV1
      case 930..<935 where draft.identity == .both: return .link
      default: return .updateV2
      }
    case .v1: return place < 900 ? .eventV1 : .updateV1
    case .v2: return place < 900 ? .eventV2 : .updateV2
    }
  }

  /// The fault that `line` has: faulty lines are spread evenly, and all faults take turns.
  private func fault(_ line: Int, _ format: GenerateOptions.Format) -> FaultyLine? {
    let million = 1_000_000
    let before = line * options.faultsPerMillion / million
    guard (line + 1) * options.faultsPerMillion / million > before else { return nil }
    return faults[format].map { $0[before % $0.count] }
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

// MARK: - Parts of both dialects

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
