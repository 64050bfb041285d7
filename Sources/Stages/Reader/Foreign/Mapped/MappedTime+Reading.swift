import Pipeline

/// Times in the formats of mappings (docs/guides/mapping.md).
extension ForeignDraft {
  /// The time at `node`, in the form that the validator reads. The validator rejects a value that
  /// is not a time in the format of the mapping.
  func time(
    _ node: Node, as time: MappedTime, at path: @autoclosure () -> FieldPath
  ) -> Node {
    guard node.exists else { return .none }
    if let unit = time.unit.number { return self.time(tape[node], in: unit) }
    guard let zone = time.zone, tape[node].kind == .string,
      let local = Timestamp.parseAny(tape.bytes(at: node)), !local.hasZone
    else { return self.time(node, at: path()) }
    return Node(tape.appendInteger(local.milliseconds - zone * 60_000))
  }

  /// The time for `entry`, a number of `unit` or a text with one. Any other value is
  /// `invalid_time`; a number of another unit is `time_out_of_range`.
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
    // Units differ by a factor of 1,000 and valid times by less, so a number is a time in at most
    // one unit.
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
