package import Pipeline

/// The contents of a state besides its keys: the attribute keys in use, and the totals per event
/// name, anonymous events included (data-model 12). The same for all partitions.
///
/// ```
/// {"eventmill_state":VERSION,"partitions":P,"days_from":DAY}
/// {"active":"days"|"months"|"weeks","people":[[NUMBER,N],…]}
/// {"attribute":KEY}
/// {"cohort":DATE,"active":[[DAY,N],…]}
/// {"day":DATE,"read":N,"last":T}
/// {"erased":HEX32,"time":T}, …                                                     (``Erasures``)
/// {"event":NAME,"count":N,"days":[[DAY,N],…],"dialects":{"v1":N},"duplicates":N,"first":T,
///  "last":T,"profiles":N,"source_names":[TEXT]}
/// ```
/// Each line but the first is after the previous one by the bytes of its kind and first text.
/// `first` and `last` are omitted when no event has a time, `source_names` when there are none, and
/// everything about days but `day` with `--no-days`.
package struct StateTotals {
  package private(set) var totals: [StateTotal] = []
  /// Their events by day, as far as known.
  package private(set) var days = EventDays(limit: EventDays.most)
  package private(set) var readDays = ReadDays()
  package private(set) var erasures = Erasures()
  package private(set) var active = ActivePeople()
  /// The day from which on everything is counted by day, 0 if everything always was; nil without
  /// days.
  package private(set) var daysFrom: Int?

  private static let pieceLength = 1 << 20

  /// Writes the lines for `totals`, with the profiles and the people counted by `tally`, and for
  /// `erasures`, in pieces; days are complete from `daysFrom` on.
  package static func write(
    _ totals: EventTotals, _ tally: SnapshotTally, _ names: SnapshotNames, partitions: Int,
    daysFrom: Int?, erasures: Erasures = Erasures(),
    _ write: (_ piece: ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    var out = ByteBuffer()
    JSONWriter.line(to: &out) { json in
      json.member("eventmill_state", StateHeader.version)
      json.member("partitions", partitions)
      if let daysFrom { json.member("days_from", daysFrom) }
    }
    for period in ActivePeople.Period.allCases {
      let counts = tally.active.counts(by: period)
      if counts.isEmpty { continue }
      JSONWriter.line(to: &out) { json in
        json.member("active", period.rawValue)
        CountPairs.write(counts, "people", to: &json)
      }
    }
    for key in names.attributes.sorted {
      JSONWriter.line(to: &out) { json in json.member("attribute", names.attributes[key]) }
    }
    for (first, active) in tally.active.cohortCounts {
      JSONWriter.line(to: &out) { json in
        json.member("cohort", DayNumber.text(first))
        CountPairs.write(active, "active", to: &json)
      }
    }
    for (number, day) in totals.readDays.sorted {
      JSONWriter.line(to: &out) { json in
        json.member("day", DayNumber.text(number))
        json.member("read", day.events)
        json.member("last", day.last)
      }
    }
    erasures.append(to: &out)
    let days = PackedDays.ByName(totals.days.packed)
    for name in names.events.sorted where totals.contains(name) {
      if out.count >= pieceLength {
        try write(out.view)
        out.removeAll()
      }
      append(name, totals, days[name], tally, names, to: &out)
    }
    try write(out.view)
  }

  private static func append(
    _ name: UInt32, _ totals: EventTotals, _ days: PackedDays.DaysOfName?, _ tally: SnapshotTally,
    _ names: SnapshotNames, to out: inout ByteBuffer
  ) {
    let total = totals[name]
    JSONWriter.line(to: &out) { json in
      json.member("event", names.events[name])
      json.member("count", total.count)
      if let days { CountPairs.write(days, "days", to: &json) }
      totals.writeDialects(name, to: &json)
      json.member("duplicates", total.duplicates)
      if !total.seen.isNever {
        if total.seen.first != total.seen.last { json.member("first", total.seen.first) }
        json.member("last", total.seen.last)
      }
      json.member("profiles", tally.profiles(with: name))
      totals.sourceNames(of: name).writeField(to: &json)
    }
  }

  /// Reads the file `path`; failures name the action `doing`.
  package init(
    reading path: String, doing: String, names: RunNames, system: System
  ) throws(Failure) {
    let file = try FrameFile(path, doing: doing, system: system)
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    let lines = TotalsReader(path: path, names: names)
    for frame in file.frames.indices {
      text.removeAll()
      try reader.decode(frame: frame, of: file, into: &text)
      try read(text.view, by: lines)
    }
    if lines.line == 0 { throw lines.corrupt("it is empty") }
  }

  /// Reads `text`, the content of the file `path`. All names in it become names of the run.
  package init(_ text: ByteView, path: String, names: RunNames) throws(Failure) {
    let reader = TotalsReader(path: path, names: names)
    try read(text, by: reader)
    if reader.line == 0 { throw reader.corrupt("it is empty") }
  }

  /// Takes in the lines of a frame, which ends with a whole line.
  private mutating func read(_ text: ByteView, by reader: TotalsReader) throws(Failure) {
    guard text.isEmpty || text[text.count - 1] == UInt8(ascii: "\n") else {
      throw reader.corrupt("it does not end with a line feed")
    }
    let tape = Tape(numbersNames: false)
    tape.bind(to: text)
    var lines = LineCursor(bytes: text)
    while let line = lines.next() {
      reader.line += 1
      guard UTF8Check.isValid(text[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape),
        tape[root].kind == .object, Int(tape[root].next) > root + 1
      else { throw reader.corrupt("the line is not an object") }
      if reader.line == 1 {
        guard tape.bytes(at: root + 1) == "eventmill_state",
          tape.count(at: root + 2) == StateHeader.version
        else { throw reader.corrupt("the first line is not a header of this format") }
        daysFrom = try tape.member("days_from", of: root).map { value throws(Failure) in
          try reader.start(value, tape)
        }
      } else if try !read(root, of: tape, by: reader) {
        throw reader.corrupt("the line has an unknown kind")
      }
    }
  }

  /// Reads the line `root`; false for an unknown kind of line, or invalid people.
  private mutating func read(
    _ root: Int, of tape: Tape, by reader: TotalsReader
  ) throws(Failure) -> Bool {
    guard let text = tape.string(at: root + 2) else { return false }
    let kind = tape.bytes(at: root + 1)
    try reader.begin(kind, text)
    switch kind {
    case "active":
      guard let people = tape.member("people", of: root),
        let period = ActivePeople.Period(rawValue: text.text)
      else { return false }
      return active.read(tape, at: people, by: period, &reader.reading)
    case "attribute": _ = try reader.attributeKey(text)
    case "cohort":
      guard let people = tape.member("active", of: root), let first = DayNumber.parse(text) else {
        return false
      }
      return active.read(tape, at: people, firstDay: first, &reader.reading)
    case "day": try reader.readDay(text, root, of: tape, &readDays)
    case "erased":
      let line = try reader.readErasure(text, root, of: tape)
      guard erasures.marks.count < Erasures.maximumCount else {
        throw reader.corrupt("there are more than \(Erasures.maximumCount) erased keys")
      }
      erasures.add(line.mark, of: line.key)
    case "event":
      let name = try reader.eventName(text)
      totals.append(try reader.readTotal(name, root, of: tape, &days))
    default: return false
    }
    return true
  }
}

package struct StateTotal: Sendable {
  package let name: UInt32
  package var total = EventTotals.Total()
  package var dialects: [(dialect: Dialect, count: Int)] = []
  package var profiles = 0
  package var sourceNames = SourceNames()

  var isEmpty: Bool { total.count == 0 && total.duplicates == 0 }
}

extension EventTotals {
  /// Takes in all totals of a state.
  package mutating func merge(_ state: StateTotals) {
    for total in state.totals {
      merge(total.name, total.total, isCarried: true)
      for (dialect, count) in total.dialects { merge(total.name, dialect, count: count) }
      merge(total.name, total.sourceNames)
    }
    days.merge(state.days)
    readDays.merge(state.readDays)
  }

  /// Turns counted events of this run into duplicates.
  package mutating func takeBack(_ duplicates: DuplicateTally) {
    duplicates.events.packed.forEach { takeBack($1, $0.name, day: $0.day) }
    days.raiseToZero()
  }
}
