import Pipeline

extension StateReader {
  /// A time in the range of event and record times (data-model 16).
  func time(_ place: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let value = StateNumber.integer(at: place, of: tape),
      Rules.earliestTime..<Rules.endOfTime ~= value
    else { throw corrupt("a time is no number of milliseconds in range") }
    return value
  }

  /// The times of `what`, of which the first is left out when it is the last; -1 is none.
  func times(_ seen: Seen, of what: String) throws(Failure) -> Seen {
    let first = seen.first < 0 ? seen.last : seen.first
    guard seen.last >= 0, seen.last >= first else {
      throw corrupt("the times of \(what) do not fit each other")
    }
    return Seen(first: first, last: seen.last)
  }

  /// A count.
  func count(_ place: Int, _ tape: Tape) throws(Failure) -> Int {
    guard let value = StateNumber.integer(at: place, of: tape),
      value <= StateReader.maximumCount
    else { throw corrupt("a count is no number in range") }
    return value
  }

  /// The form of a key that is not plain.
  func form(_ place: Int, _ tape: Tape) throws(Failure) -> KeyForm {
    if tape[place].kind == .string {
      if tape.bytes(at: place) == "date" { return .date }
      if tape.bytes(at: place) == "url" { return .url }
    }
    throw corrupt("a form is neither date nor url")
  }

  /// Longest event name or attribute key without `$`, in bytes (data-model 6).
  private static var longestName: Int { 30 }

  /// The number of an event name.
  mutating func eventName(_ name: ByteView) throws(Failure) -> UInt32 {
    guard StateReader.isName(name) else { throw corrupt("an event name breaks the rules") }
    let number = eventNames.id(of: name)
    guard number < knownNames.events else { throw corrupt("an event has no total") }
    return number
  }

  /// The number of an attribute key.
  mutating func attributeKey(_ key: ByteView) throws(Failure) -> UInt32 {
    guard StateReader.isName(key.starts(with: "$") ? key.dropFirst(1) : key) else {
      throw corrupt("an attribute key breaks the rules")
    }
    let number = attributeKeys.id(of: key)
    guard number < knownNames.attributes else {
      throw corrupt("an attribute key is not listed beside the totals")
    }
    return number
  }

  private static func isName(_ name: ByteView) -> Bool {
    guard 1...longestName ~= name.count else { return false }
    for index in 0..<name.count {
      switch name[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        continue
      default: return false
      }
    }
    return true
  }

  /// The failure for a line that does not fit the format.
  func corrupt(_ why: String) -> Failure {
    Failure(
      .corrupt, doing: "reading the state", path: path, line: line, why: why,
      advice: "restore the file from a copy, or start without a previous state")
  }
}
