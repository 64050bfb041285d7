package import Pipeline

/// The coordinates of a location on a tape (dialects 2).
package struct GeoPoint {
  /// Greatest valid latitude and longitude, in degrees, north or south, east or west.
  private static let most = (latitude: 90, longitude: 180)

  private var latitude = Node.none
  private var longitude = Node.none
  private var accuracy = Node.none

  /// The coordinates in the object at `node`; other fields are ignored. A null field is absent; of
  /// repeated ones the last counts. Complexity: O(fields).
  package init(_ node: Int, of tape: Tape) {
    tape.forEachMember(of: node) { key in
      let name = tape.bytes(at: key)
      let value = tape[key + 1].kind == .null ? .none : Node(key + 1)
      if name == "latitude" { latitude = value }
      if name == "longitude" { longitude = value }
      if name == "accuracy" { accuracy = value }
    }
  }

  /// Whether latitude and longitude are valid, and accuracy is absent or not negative.
  package func isValid(in tape: Tape) -> Bool {
    guard latitude.exists, longitude.exists,
      Self.isNumber(latitude, within: Self.most.latitude, of: tape),
      Self.isNumber(longitude, within: Self.most.longitude, of: tape)
    else { return false }
    return !accuracy.exists || Self.isDistance(accuracy, of: tape)
  }

  /// Appends the location as canonical JSON; the numbers keep their text.
  func append(of tape: Tape, to out: inout ByteBuffer) {
    out.append("{\"latitude\":")
    out.append(tape.bytes(at: latitude))
    out.append(",\"longitude\":")
    out.append(tape.bytes(at: longitude))
    if accuracy.exists {
      out.append(",\"accuracy\":")
      out.append(tape.bytes(at: accuracy))
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Whether the entry is a number from -`most` to `most`. Its negative is compared, by its decimal
  /// text, because fractions are rounded down.
  private static func isNumber(_ node: Node, within most: Int, of tape: Tape) -> Bool {
    guard tape[node].kind == .integer || tape[node].kind == .double else { return false }
    let text = tape.bytes(at: node)
    var negative = ByteBuffer(capacity: 32)
    if !text.starts(with: "-") { negative.append(UInt8(ascii: "-")) }
    negative.append(text)
    let thousandths = DecimalNumber.milliseconds(negative.view, per: .seconds)
    return thousandths.map { $0 >= -1000 * most } ?? false
  }

  private static func isDistance(_ node: Node, of tape: Tape) -> Bool {
    let (entry, text) = (tape[node], tape.bytes(at: node))
    guard entry.kind == .integer || entry.kind == .double,
      TextRule.v2String.fault(entry, of: tape) == nil
    else { return false }
    // A zero may have a sign.
    return !text.starts(with: "-") || DecimalNumber.milliseconds(text, per: .seconds) == 0
  }
}
