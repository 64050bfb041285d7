import Pipeline

/// Reads lines of the state's totals (``StateTotals``). For one thread.
struct TotalsReader: ~Copyable {
  let path: String
  var line = 0
  private var eventNames: NameCache
  private var attributeKeys: NameCache

  /// A reader of lines of the file `path`, whose names become names of the run.
  init(path: String, names: RunNames) {
    self.path = path
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
  }

  /// Reads the fields of a total; adds its events by day to `days`.
  func readTotal(
    _ name: UInt32, _ members: Range<Int>, of tape: Tape, _ days: inout EventDays
  ) throws(Failure) -> StateTotal {
    var total = StateTotal(name: name)
    var ofDays = 0
    var seen = Seen(first: -1, last: -1)
    var position = members.lowerBound
    while position < members.upperBound {
      let (member, value) = (tape.bytes(at: position), position + 1)
      if member == "count" {
        total.total.count = try count(value, tape)
      } else if member == "duplicates" {
        total.total.duplicates = try count(value, tape)
      } else if member == "first" {
        seen.first = try time(value, tape)
      } else if member == "last" {
        seen.last = try time(value, tape)
      } else if member == "profiles" {
        total.profiles = try count(value, tape)
      } else if member == "dialects" {
        total.dialects = try readDialects(value, of: tape)
      } else if member == "days" {
        guard
          let pairs = CountPairs.read(
            tape, at: value, numbers: DayNumber.range, counts: 1...FrameLayout.maximumCount)
        else { throw corrupt("days are not counts per day") }
        for (day, count) in pairs {
          days.add(count, EventDay(name: name, day: UInt16(day)))
          ofDays &+= count
        }
      } else if member == "source_names" {
        guard let names = SourceNames(of: tape, at: value) else {
          throw corrupt("source names are not a short sorted list of names")
        }
        total.sourceNames = names
      } else {
        throw corrupt("a total has an unknown field")
      }
      position = Int(tape[position].next)
    }
    guard ofDays <= total.total.count else {
      throw corrupt("there are more events on days than events")
    }
    // Events without a time count, but have no first and last time.
    if total.isEmpty || seen.first >= 0 || seen.last >= 0 {
      total.total.seen = try times(seen, of: "a total")
    }
    return total
  }

  /// Reads the fields of the events read on the day `date`, which `days` must lack.
  func readDay(
    _ date: ByteView, _ members: Range<Int>, of tape: Tape, _ days: inout ReadDays
  ) throws(Failure) {
    var day = ReadDays.Day()
    var position = members.lowerBound
    while position < members.upperBound {
      let (member, value) = (tape.bytes(at: position), position + 1)
      if member == "read" {
        day.events = try count(value, tape)
      } else if member == "last" {
        day.last = try time(value, tape)
      } else {
        throw corrupt("a day has an unknown field")
      }
      position = Int(tape[position].next)
    }
    guard let number = DayNumber.parse(date), days.addNew(day, of: number) else {
      throw corrupt("the events of a day are not counted with a time of that day")
    }
  }

  private func readDialects(
    _ object: Int, of tape: Tape
  ) throws(Failure) -> [(dialect: Dialect, count: Int)] {
    guard tape[object].kind == .object else { throw corrupt("dialects are not an object") }
    var dialects: [(dialect: Dialect, count: Int)] = []
    try tape.forEachMember(of: object) { position throws(Failure) in
      let text = tape.bytes(at: position).text
      guard let dialect = Dialect(recorded: text) else {
        throw corrupt("a dialect is unknown")
      }
      dialects.append((dialect, try count(position + 1, tape)))
    }
    return dialects
  }

  /// A time in the range of event and record times (data-model 16).
  func time(_ position: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let value = StateNumber.integer(at: position, of: tape),
      Rules.earliestTime..<Rules.endOfTime ~= value
    else { throw corrupt("a time is not a number of milliseconds in range") }
    return value
  }

  /// The times of `what`; the first is omitted if it equals the last; -1 is none.
  func times(_ seen: Seen, of what: String) throws(Failure) -> Seen {
    let first = seen.first < 0 ? seen.last : seen.first
    guard seen.last >= 0, seen.last >= first else {
      throw corrupt("the times of \(what) contradict each other")
    }
    return Seen(first: first, last: seen.last)
  }

  /// A day from which on something is known, or 0.
  func start(_ position: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let day = StateNumber.integer(at: position, of: tape),
      day == 0 || DayNumber.starts.contains(day)
    else { throw corrupt("days_from is not the number of a day in range") }
    return day
  }

  /// A count.
  func count(_ position: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let value = StateNumber.integer(at: position, of: tape),
      value <= FrameLayout.maximumCount
    else { throw corrupt("a count is not a number in range") }
    return value
  }

  /// The number of an event name.
  mutating func eventName(_ name: ByteView) throws(Failure) -> UInt32 {
    guard FrameLayout.isName(name) else { throw corrupt("an event name is invalid") }
    return eventNames.id(of: name)
  }

  /// The number of an attribute key.
  mutating func attributeKey(_ key: ByteView) throws(Failure) -> UInt32 {
    guard FrameLayout.isKey(key) else { throw corrupt("an attribute key is invalid") }
    return attributeKeys.id(of: key)
  }

  /// Checks that the file had a line.
  func end() throws(Failure) {
    if line == 0 { throw corrupt("it is empty") }
  }

  /// The failure for a line that violates the format.
  func corrupt(_ why: String) -> Failure {
    Failure(
      .corrupt, doing: "reading the state", path: path, line: line, why: why,
      advice: "restore the file from a copy, or start without a previous state")
  }
}
