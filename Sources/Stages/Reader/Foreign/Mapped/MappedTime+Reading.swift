import Pipeline

/// Times as mappings describe them (docs/guides/mapping.md).
extension ForeignDraft {
  /// The time for what stands at `node`, as the validator reads it; what is no time is left to be
  /// refused.
  func time(
    _ node: Node, as time: MappedTime, at path: @autoclosure () -> FieldPath
  ) -> Node {
    guard node.exists else { return .none }
    let entry = tape[node]
    if time.unit != .auto {
      guard entry.kind == .integer || entry.kind == .double || entry.kind == .string,
        let milliseconds = Self.milliseconds(tape.bytes(entry), time.unit)
      else { return node }
      return Node(tape.appendInteger(milliseconds))
    }
    guard entry.kind == .string else { return self.time(node, at: path()) }
    var text = tape.bytes(entry)
    let isUTC = text.count > 4 && text.dropFirst(text.count - 4) == " UTC"
    if isUTC { text = text[0..<text.count - 4] }
    guard isUTC || time.zone != nil, !Self.hasZone(text), let local = Timestamp.parse(text) else {
      return self.time(node, at: path())
    }
    return Node(tape.appendInteger(local - (isUTC ? 0 : time.zone ?? 0) * 60_000))
  }

  /// The milliseconds of a decimal number of `unit`; nil for what is none, or beyond 64 bits. What
  /// is less than a millisecond is cut off.
  private static func milliseconds(_ text: ByteView, _ unit: MappedTime.Unit) -> Int? {
    // The point is moved by so many digits.
    let shift: Int
    switch unit {
    case .auto, .milliseconds: shift = 0
    case .seconds: shift = 3
    case .microseconds: shift = -3
    case .nanoseconds: shift = -6
    }
    var (digits, point) = (0, text.count)
    for index in 0..<text.count {
      if Characters.isDigit(text[index]) {
        digits += 1
      } else if text[index] == UInt8(ascii: "."), point == text.count, index > 0 {
        point = index
      } else {
        return nil
      }
    }
    guard 1...longestNumber ~= digits else { return nil }
    var value = 0
    for place in 0..<max(point + shift, 0) {
      let index = place < point ? place : place + 1
      let digit = index < text.count ? Int(text[index] - UInt8(ascii: "0")) : 0
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// The most digits of a time.
  private static var longestNumber: Int { 40 }
}
