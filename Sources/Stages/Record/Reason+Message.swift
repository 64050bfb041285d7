package import Pipeline

extension Reason {
  /// A message for the user: what was found (`found`, if it is text of the line), what is valid,
  /// and the likely mistake.
  package func message(at path: String, found: String = "") -> String {
    var message = ""
    for piece in code.sentence {
      message += ReasonCode.Figure(rawValue: piece).map { text(of: $0, at: path) } ?? piece
    }
    if !found.isEmpty {
      return code == .unknownDialect ? "\(message); it has \(found)" : "\(message); \(found)"
    }
    guard let detail, code != .invalidJSON else { return message }
    return "\(message); \(detail)"
  }

  private func text(of figure: ReasonCode.Figure, at path: String) -> String {
    switch figure {
    case .path: path.isEmpty ? "the line" : path
    case .value: path.isEmpty ? "the value" : path
    case .found: actual.map(String.init) ?? "more"
    case .most: limit.map(String.init) ?? "0"
    case .byte: actual.map { " at byte \($0)" } ?? ""
    case .expected: detail.map { "; expected \($0)" } ?? ""
    case .time: actual.map(Timestamp.text) ?? ""
    case .bound: bound
    }
  }

  /// How a time is outside of the times that are accepted, whatever set them.
  private var bound: String {
    guard let limit, let actual else { return "outside of the accepted times" }
    return actual < limit
      ? "before the earliest accepted one, \(Timestamp.text(limit))"
      : "after the latest accepted one, \(Timestamp.text(limit))"
  }
}

extension ReasonList {
  /// Writes the reasons of `range` as a JSON array of objects (data-model 15).
  package func append(_ range: ReasonRange, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "["))
    for index in range.indices {
      if index > range.indices.lowerBound { text.append(UInt8(ascii: ",")) }
      append(self[index], to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  private func append(_ reason: Reason, to text: inout ByteBuffer) {
    text.append("{\"code\":\"")
    text.append(text: reason.code.text)
    text.append("\",\"path\":")
    text.appendJSONString(path(reason))
    if let limit = reason.limit {
      text.append(",\"limit\":")
      text.append(decimal: limit)
    }
    if let actual = reason.actual {
      text.append(",\"actual\":")
      text.append(decimal: actual)
    }
    text.append(",\"message\":")
    let message = ByteBuffer(text: self.message(of: reason))
    text.appendJSONString(message.view)
    text.append(UInt8(ascii: "}"))
  }

  package func message(of reason: Reason) -> String {
    reason.message(at: path(reason).text, found: found(reason).text)
  }
}
