import Pipeline

/// Times as mappings describe them (docs/mapping.md).
extension ForeignDraft {
  /// The time for what stands at `node`, as the validator reads it; what is no time is left to be
  /// refused.
  func time(_ node: Node, as time: MappedTime, at path: FieldPath) -> Node {
    guard node.exists else { return .none }
    let entry = tape[node]
    if time.unit != .auto {
      guard entry.kind == .integer || entry.kind == .double || entry.kind == .string,
        let milliseconds = Self.milliseconds(tape.bytes(entry), time.unit)
      else { return node }
      return Node(tape.appendInteger(milliseconds))
    }
    guard entry.kind == .string else { return self.time(node, at: path) }
    var text = tape.bytes(entry)
    let isUTC = text.count > 4 && text.dropFirst(text.count - 4) == " UTC"
    if isUTC { text = text[0..<text.count - 4] }
    guard isUTC || time.zone != nil, !Self.hasZone(text), let local = Timestamp.parse(text) else {
      return self.time(node, at: path)
    }
    return Node(tape.appendInteger(local - (isUTC ? 0 : time.zone ?? 0) * 60_000))
  }

  /// The milliseconds of a decimal number of `unit`; nil for what is none, or beyond 64 bits. What
  /// is less than a millisecond is cut off.
  private static func milliseconds(_ text: ByteView, _ unit: MappedTime.Unit) -> Int? {
    // In units of 10^-9 seconds the digits behind the point would overflow: they are cut by place.
    let shift: Int
    switch unit {
    case .auto, .milliseconds: shift = 0
    case .seconds: shift = 3
    case .microseconds: shift = -3
    case .nanoseconds: shift = -6
    }
    var digits: [UInt8] = []
    var point: Int?
    for index in 0..<text.count {
      if Characters.isDigit(text[index]) {
        digits.append(text[index] - UInt8(ascii: "0"))
      } else if text[index] == UInt8(ascii: "."), point == nil, !digits.isEmpty {
        point = digits.count
      } else {
        return nil
      }
      if digits.count > 40 { return nil }
    }
    let whole = (point ?? digits.count) + shift
    guard !digits.isEmpty else { return nil }
    var value = 0
    for index in 0..<max(whole, 0) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(
        index < digits.count ? Int(digits[index]) : 0)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }
}
