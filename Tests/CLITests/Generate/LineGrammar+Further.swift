import Pipeline

@testable import eventmill

/// The holes of the tables of other dialects, besides those of the program's own:
///
/// | hole | is replaced by |
/// |---|---|
/// | `<uuid>`, `<UUID>`, `<oid>` | the id of the event in other forms |
/// | `<NAME>` | an event name in upper case |
/// | `<hex 12>`, `<HEX 16>` | random digits |
/// | `<escaped: a>` | `a` as the content of a JSON string |
extension LineGrammar {
  static let further = holes.merging([
    "uuid": fixed { $2.append(uuid: $1.eventID, LogRandom.mix($1.eventID), isUpper: false) },
    "UUID": fixed { $2.append(uuid: $1.eventID, LogRandom.mix($1.eventID), isUpper: true) },
    "oid": fixed {
      $2.append(hex: UInt64(max($1.time, 0) / 1000), digits: 8)
      $2.append(hex: $1.eventID)
    },
    "NAME": fixed { grammar, draft, text in
      let start = text.count
      grammar.appendName(&draft, to: &text)
      for index in start..<text.count {
        if UInt8(ascii: "a")...UInt8(ascii: "z") ~= text[index] { text[index] -= 32 }
      }
    },
    "hex ": { digits(LineGrammarParser.constant($1), isUpper: false) },
    "HEX ": { digits(LineGrammarParser.constant($1), isUpper: true) },
    "escaped:": { parser, content in
      let rule = parser.unnamed(content)
      return { grammar, draft, text in
        var inner = ByteBuffer()
        grammar.append(rule, &draft, to: &inner)
        for byte in inner.view.array {
          if [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(byte) {
            text.append(UInt8(ascii: "\\"))
          }
          text.append(byte)
        }
      }
    },
  ]) { $1 }

  private static func digits(_ count: Int, isUpper: Bool) -> Piece {
    { $2.append(hex: $1.random.next(), digits: count, isUpper: isUpper) }
  }
}
