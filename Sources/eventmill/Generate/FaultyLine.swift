import Pipeline
import Stages

/// A line with a fault, as a template.
///
/// In a template `@` stands for what differs from line to line or is too long to write down: `@U`
/// custom id, `@I` installation id, `@T` time, `@N` time as a number of seconds, `@E` event id,
/// `@X` a byte that is not UTF-8, `@S300.` 300 times the letter x, `@L26.` 26 strings, `@M21.` 21
/// members, `@Y21.` 21 members with the type of their value, `@G26.` 26 objects, `@D70.` 70 nested
/// objects, `@A` an at sign, and in a frame `@_` what the frame is around.
struct FaultyLine {
  /// Which dialects of the mix a line is an example of.
  enum Form {
    case v1
    case v2
    /// None in particular.
    case any
  }

  /// Why the line, or a part of it, is not taken, or what is dropped of it.
  let code: ReasonCode
  let form: Form
  private let template: StaticString
  /// What stands around the template, which is a part of a line then.
  private let frame: StaticString?

  /// A line of the mix of v1 and v2.
  init(_ code: ReasonCode, _ form: Form, _ template: StaticString) {
    self.code = code
    self.form = form
    self.template = template
    frame = nil
  }

  /// A line of another dialect: a template, or a part with the frame it stands in.
  init(_ code: ReasonCode, in frame: StaticString? = nil, _ template: StaticString) {
    self.code = code
    form = .any
    self.template = template
    self.frame = frame
  }

  /// All faults that logs of `format` can have, one of each code at least.
  static func catalogue(for format: GenerateOptions.Format) -> [FaultyLine] {
    let all = lines + eventsV1 + eventsV2 + operations + losses
    switch format {
    case .mixed: return all
    case .v1: return all.filter { $0.form != .v2 }
    case .v2: return all.filter { $0.form != .v1 }
    }
  }

  /// Appends the line for `draft`, without a line end.
  func append(_ draft: Draft, eventID: UInt64, to text: inout ByteBuffer) {
    append(ByteView(frame ?? template), draft, eventID, to: &text)
  }

  private func append(
    _ template: ByteView, _ draft: Draft, _ eventID: UInt64, to text: inout ByteBuffer
  ) {
    var position = 0
    while position < template.count {
      let byte = template[position]
      position += 1
      guard byte == UInt8(ascii: "@") else {
        text.append(byte)
        continue
      }
      let code = template[position]
      position += 1
      switch code {
      case UInt8(ascii: "U"): draft.person.appendCustomID(to: &text)
      case UInt8(ascii: "I"): draft.person.appendInstallationID(to: &text)
      case UInt8(ascii: "T"): Timestamp.append(milliseconds: draft.time, to: &text)
      case UInt8(ascii: "N"): text.append(decimal: draft.time / 1000)
      case UInt8(ascii: "E"): HexDigits.append(eventID, 16, .lower, to: &text)
      case UInt8(ascii: "X"): text.append(0xFF)
      case UInt8(ascii: "A"): text.append(UInt8(ascii: "@"))
      case UInt8(ascii: "_"): append(ByteView(self.template), draft, eventID, to: &text)
      default:
        FaultyLine.repeat(code, FaultyLine.number(template, &position), to: &text)
      }
    }
  }

  /// The number at `position`, and moves behind the point that ends it.
  private static func number(_ template: ByteView, _ position: inout Int) -> Int {
    var number = 0
    while template[position] != UInt8(ascii: ".") {
      number = number * 10 + Int(template[position] - UInt8(ascii: "0"))
      position += 1
    }
    position += 1
    return number
  }

  private static func `repeat`(_ code: UInt8, _ count: Int, to text: inout ByteBuffer) {
    for index in 0..<count {
      switch code {
      case UInt8(ascii: "S"): text.append(UInt8(ascii: "x"))
      case UInt8(ascii: "L"):
        text.append(index == 0 ? "\"i" : ",\"i")
        text.append(decimal: index)
        text.append(UInt8(ascii: "\""))
      case UInt8(ascii: "M"):
        text.append(index == 0 ? "\"k" : ",\"k")
        text.append(decimal: index)
        text.append("\":0")
      case UInt8(ascii: "Y"):
        text.append(index == 0 ? "\"k" : ",\"k")
        text.append(decimal: index)
        text.append(".i\":0")
      case UInt8(ascii: "G"):
        text.append(index == 0 ? "{\"n\":" : ",{\"n\":")
        text.append(decimal: index)
        text.append(UInt8(ascii: "}"))
      case UInt8(ascii: "D"): text.append("{\"d\":")
      default: preconditionFailure("a template uses a code that is not defined")
      }
    }
    if code == UInt8(ascii: "D") {
      text.append(UInt8(ascii: "0"))
      for _ in 0..<count { text.append(UInt8(ascii: "}")) }
    }
  }
}
