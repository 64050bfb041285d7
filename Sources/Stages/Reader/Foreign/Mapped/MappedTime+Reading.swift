import Pipeline

/// Times as mappings describe them (docs/guides/mapping.md).
extension ForeignDraft {
  /// The time for the value at `node`, as the validator reads it. A value that is not a time as the
  /// mapping describes it is left to be refused.
  func time(
    _ node: Node, as time: MappedTime, at path: @autoclosure () -> FieldPath
  ) -> Node {
    guard node.exists else { return .none }
    if let unit = time.unit.number { return self.time(tape[node], in: unit) }
    guard tape[node].kind == .string else { return self.time(node, at: path()) }
    var text = tape.bytes(at: node)
    let isUTC = text.count > 4 && text.dropFirst(text.count - 4) == " UTC"
    if isUTC { text = text[0..<text.count - 4] }
    guard isUTC || time.zone != nil, !Self.hasZone(text), let local = Timestamp.parse(text) else {
      return self.time(node, at: path())
    }
    return Node(tape.appendInteger(local - (isUTC ? 0 : time.zone ?? 0) * 60_000))
  }

  /// The time for `entry`, a number of `unit` or the text of one. Any other value is
  /// `invalid_time`, a number of another unit `time_out_of_range`.
  private func time(_ entry: TapeEntry, in unit: DecimalNumber.Unit) -> Node {
    let isNumber = entry.kind == .integer || entry.kind == .double
    let text = tape.bytes(entry)
    let milliseconds =
      isNumber || entry.kind == .string ? DecimalNumber.milliseconds(text, per: unit) : nil
    if let milliseconds, Rules.isTime(milliseconds) {
      return Node(tape.appendInteger(milliseconds))
    }
    guard isNumber || milliseconds != nil else {
      return Node(tape.appendScalar(.fault(.invalidTime, expected: .timeNumber)))
    }
    // Units differ by a thousand and times by less, so a number is a time in one unit at most.
    let units: [(unit: DecimalNumber.Unit, name: ExpectedType)] = [
      (.seconds, .otherThanSeconds), (.milliseconds, .otherThanMilliseconds),
      (.microseconds, .otherThanMicroseconds), (.nanoseconds, .otherThanNanoseconds),
    ]
    let written = units.first {
      DecimalNumber.milliseconds(text, per: $0.unit).map(Rules.isTime) ?? false
    }
    return Node(tape.appendScalar(.fault(.timeOutOfRange, expected: written?.name ?? .nothing)))
  }
}
