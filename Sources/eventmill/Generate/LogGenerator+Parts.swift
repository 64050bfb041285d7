import Pipeline

/// What lines of the further dialects are put together from. All append to `text`.
extension LogGenerator {
  /// Appends the id of the line's first event as a UUID, without quotes.
  func appendUUID(
    _ draft: Draft, _ letters: HexDigits.Letters = .upper, to text: inout ByteBuffer
  ) {
    let id = eventID(draft.line, 0)
    HexDigits.appendUUID(id, LogRandom.mix(id), letters, to: &text)
  }

  /// Appends the id of the line's first event as an ObjectId, without quotes: its seconds, then the
  /// id.
  func appendObjectID(_ draft: Draft, to text: inout ByteBuffer) {
    HexDigits.append(UInt64(max(draft.time, 0) / 1000), 8, .lower, to: &text)
    HexDigits.append(eventID(draft.line, 0), 16, .lower, to: &text)
  }

  /// Appends ids in members of these names, each with a comma behind it. `custom` and
  /// `installation` begin with a quote and end with one, `"user_id":"`.
  func appendIDs(
    _ draft: Draft, custom: StaticString, installation: StaticString, to text: inout ByteBuffer
  ) {
    if draft.identity != .installation {
      text.append(custom)
      draft.person.appendCustomID(to: &text)
      text.append("\",")
    }
    if draft.identity != .custom {
      text.append(installation)
      draft.person.appendInstallationID(to: &text)
      text.append("\",")
    }
  }

  /// Appends a word in capital letters.
  func appendUppercased(_ word: StaticString, to text: inout ByteBuffer) {
    let bytes = ByteView(word)
    for index in 0..<bytes.count {
      let byte = bytes[index]
      let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      text.append(isSmall ? byte - 32 : byte)
    }
  }

  /// Appends a member whose value is a whole number; `start` ends with the colon.
  func appendPair(_ start: StaticString, _ number: Int, to text: inout ByteBuffer) {
    text.append(start)
    text.append(decimal: number)
  }

  /// Appends a URL of the shop, with quotes.
  func appendURL(_ random: inout LogRandom, to text: inout ByteBuffer) {
    text.append("\"https://shop.example.com/")
    text.append(random.one(of: Vocabulary.screens))
    text.append(UInt8(ascii: "/"))
    text.append(decimal: random.below(100_000))
    text.append(UInt8(ascii: "\""))
  }

  /// Appends what `write` appends as it stands inside a JSON string: with a backslash before quotes
  /// and backslashes. Complexity: O(bytes written).
  func appendEscaped(to text: inout ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
    let isEscaped = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
    let start = text.count
    write(&text)
    var source = text.count
    for index in start..<source where isEscaped(text[index]) { text.append(0) }
    // From behind, so that nothing is overwritten that has not been moved.
    var target = text.count
    while source < target {
      (source, target) = (source - 1, target - 1)
      text[target] = text[source]
      if isEscaped(text[source]) {
        target -= 1
        text[target] = UInt8(ascii: "\\")
      }
    }
  }
}
