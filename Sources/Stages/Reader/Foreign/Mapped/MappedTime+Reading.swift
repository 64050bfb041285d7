import Pipeline

/// Times in the formats of mappings (docs/guides/mapping.md).
extension ForeignDraft {
  /// The time at `node`; the validator rejects what is not a time in the format of the mapping.
  func time(_ node: Node, as time: MappedTime, at path: @autoclosure () -> FieldPath) -> Node {
    guard node.exists else { return .none }
    if time.units[0] != .auto { return self.time(tape[node], in: time.units) }
    if let fault = faultWithoutUnit(tape[node]) { return Node(tape.appendScalar(fault)) }
    guard let zone = time.zone, tape[node].kind == .string,
      let local = Timestamp.parseAny(tape.bytes(at: node)), !local.hasZone
    else { return self.time(node, at: path()) }
    return Node(tape.appendInteger(local.milliseconds - zone * 60_000))
  }

  /// The time for a number or a text with one, in the first of the units in which it is a time.
  private func time(_ entry: TapeEntry, in units: [MappedTime.Unit]) -> Node {
    let isNumber = entry.kind == .integer || entry.kind == .double
    let text = tape.bytes(entry)
    for unit in units where isNumber || entry.kind == .string {
      let milliseconds = unit.number.flatMap { DecimalNumber.milliseconds(text, per: $0) }
      if let milliseconds, Rules.isTime(milliseconds) {
        return Node(tape.appendInteger(milliseconds))
      }
    }
    let fault: TapeEntry =
      isNumber || entry.kind == .string && DecimalNumber.isNumber(text)
      ? .fault(.timeOutOfRange, expected: unitName(of: text) ?? .nothing)
      : .fault(.invalidTime, expected: .timeNumber)
    return Node(tape.appendScalar(fault))
  }

  /// The fault of a number, perhaps in quotes, that would be a time if the mapping named its unit.
  private func faultWithoutUnit(_ entry: TapeEntry) -> TapeEntry? {
    let text = tape.bytes(entry)
    let isNumber = entry.kind == .integer || entry.kind == .double
    // The usual times are texts, with a hyphen after the year.
    guard isNumber || entry.kind == .string && !(text.count > 4 && text[4] == UInt8(ascii: "-")),
      let unit = unitName(of: text), unit != .otherThanMilliseconds
    else { return nil }
    return .fault(isNumber ? .timeOutOfRange : .invalidTime, expected: unit)
  }

  /// The only unit in which a number is a time: units differ by more than valid times do.
  private func unitName(of text: ByteView) -> ExpectedType? {
    let units: [(unit: DecimalNumber.Unit, name: ExpectedType)] = [
      (.milliseconds, .otherThanMilliseconds), (.seconds, .otherThanSeconds),
      (.microseconds, .otherThanMicroseconds), (.nanoseconds, .otherThanNanoseconds),
    ]
    return units.first {
      DecimalNumber.milliseconds(text, per: $0.unit).map(Rules.isTime) ?? false
    }?.name
  }
}

extension MappedTime.Unit {
  /// The date that a text with a number is, in a unit that follows from its size: a date of seconds
  /// has at most 11 digits, each further unit up to three more.
  static func milliseconds(ofDate text: ByteView) -> Int? {
    let digits = (0..<text.count).prefix { Characters.isDigit(text[$0]) || text[$0] == 0x2D }.count
    let unit: DecimalNumber.Unit =
      switch digits {
      case ...11: .seconds
      case ...14: .milliseconds
      case ...17: .microseconds
      default: .nanoseconds
      }
    let time = DecimalNumber.milliseconds(text, per: unit)
    return time.flatMap { Timestamp.years.contains($0) ? $0 : nil }
  }
}
