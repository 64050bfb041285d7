import Pipeline

/// Reads lines of the state's totals (``StateTotals``). For one thread.
final class TotalsReader {
  let path: String
  var line = 0
  /// All counts of the file.
  var reading = DocumentReading()
  /// The kind and the first text of the previous line.
  private var previous: [UInt8] = []
  private var eventNames: NameCache
  private var attributeKeys: NameCache

  init(path: String, names: RunNames) {
    self.path = path
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
  }

  /// Begins a line of the kind `kind` about `text`, which must be after the previous one.
  func begin(_ kind: ByteView, _ text: ByteView) throws(Failure) {
    let line = kind.array + [0] + text.array
    guard previous.lexicographicallyPrecedes(line) else { throw corrupt("a line is out of order") }
    previous = line
  }

  /// Calls `read` with the name of each field of the line `root` but the first, and the index of
  /// its value; `read` returns whether it knows the name.
  /// - Throws: what `read` throws; `corrupt`, when it does not: `what` has an unknown field.
  func fields(
    _ root: Int, of tape: Tape, _ what: String,
    _ read: (_ name: ByteView, _ value: Int) throws(Failure) -> Bool
  ) throws(Failure) {
    try tape.forEachMember(of: root) { position throws(Failure) in
      if position == root + 1 { return }
      guard try read(tape.bytes(at: position), position + 1) else {
        throw corrupt("\(what) has an unknown field")
      }
    }
  }

  /// Reads the total of the event `name` in the line `root`; adds its events by day to `days`.
  func readTotal(
    _ name: UInt32, _ root: Int, of tape: Tape, _ days: inout EventDays
  ) throws(Failure) -> StateTotal {
    var total = StateTotal(name: name)
    var pairs: [CountPairs.Pair] = []
    var (first, last): (Int?, Int?) = (nil, nil)
    try fields(root, of: tape, "a total") { field, value throws(Failure) in
      switch field {
      case "count": total.total.count = try count(value, tape)
      case "duplicates": total.total.duplicates = try count(value, tape)
      case "first": first = try time(value, tape)
      case "last": last = try time(value, tape)
      case "profiles": total.profiles = try count(value, tape)
      case "dialects": total.dialects = try readDialects(value, of: tape)
      case "days":
        guard let found = CountPairs.read(tape, at: value, numbers: DayNumber.range, &reading)
        else { throw corrupt("days are not counts per day") }
        pairs = found
      case "source_names":
        guard let names = SourceNames(of: tape, at: value) else {
          throw corrupt("source names are not a short sorted list of names")
        }
        total.sourceNames = names
      default: return false
      }
      return true
    }
    for (day, count) in pairs { days.add(count, EventDay(name: name, day: UInt16(day))) }
    guard pairs.reduce(0, { $0 &+ $1.count }) <= total.total.count else {
      throw corrupt("there are more events on days than events")
    }
    // Events without a time count, but have no first and last time.
    if first == nil, last == nil, !total.isEmpty { return total }
    guard let last, first ?? last <= last else {
      throw corrupt("the times of a total contradict each other")
    }
    total.total.seen = Seen(first: first ?? last, last: last)
    return total
  }

  /// Reads the events read on the day `date`, which `days` must lack, in the line `root`.
  func readDay(
    _ date: ByteView, _ root: Int, of tape: Tape, _ days: inout ReadDays
  ) throws(Failure) {
    var day = ReadDays.Day()
    try fields(root, of: tape, "a day") { field, value throws(Failure) in
      switch field {
      case "read": day.events = try count(value, tape)
      case "last": day.last = try time(value, tape)
      default: return false
      }
      return true
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
      guard let dialect = Dialect(recorded: text) else { throw corrupt("a dialect is unknown") }
      dialects.append((dialect, try count(position + 1, tape)))
    }
    return dialects
  }

  /// A time in `range`, usually that of event and record times (data-model 4).
  func time(
    _ position: Int, _ tape: Tape, in range: Range<Int> = Rules.earliestTime..<Rules.endOfTime
  ) throws(Failure) -> Int {
    guard let value = tape.count(at: position), range ~= value else {
      throw corrupt("a time is not a number of milliseconds in range")
    }
    return value
  }

  /// A day from which on something is known, or 0.
  func start(_ position: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let day = tape.count(at: position),
      day == 0 || DayNumber.starts.contains(day)
    else { throw corrupt("days_from is not the number of a day in range") }
    return day
  }

  func count(_ position: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let value = tape.count(at: position), (try? reading.take(value)) != nil else {
      throw corrupt("a count is not a number in range")
    }
    return value
  }

  func eventName(_ name: ByteView) throws(Failure) -> UInt32 {
    guard FrameLayout.isName(name) else { throw corrupt("an event name is invalid") }
    return eventNames.id(of: name)
  }

  func attributeKey(_ key: ByteView) throws(Failure) -> UInt32 {
    guard FrameLayout.isKey(key) else { throw corrupt("an attribute key is invalid") }
    return attributeKeys.id(of: key)
  }

  func corrupt(_ why: String) -> Failure {
    Failure(
      .corrupt, doing: "reading the state", path: path, line: line, why: why,
      advice: "restore the file from a copy, or redo that night from its logs")
  }
}
