import Pipeline

enum TextFormat {
  case url, email, phone, subscription, topic
  /// Without white space.
  case word

  func fits(_ text: ByteView) -> Bool {
    switch self {
    case .url: FormatRules.isURL(text)
    case .email: FormatRules.isEmail(text)
    case .phone: FormatRules.isPhone(text)
    case .subscription: text == "subscribed" || text == "unsubscribed"
    case .topic: FormatRules.isTopic(text)
    case .word: !Characters.containsWhiteSpace(text)
    }
  }
}

/// Values with a format: URL, e-mail address, phone number, topic (data-model 7, 4.4).
enum FormatRules {
  static func isURL(_ text: ByteView) -> Bool {
    guard let start = authorityStart(of: text) else { return false }
    if !Characters.isGraphicASCII(text),
      Characters.containsWhiteSpace(text) || Characters.hasControlCharacter(text)
    {
      return false
    }
    var end = start
    var host = start
    while end < text.count {
      let byte = text[end]
      // Letters, and other bytes that cannot end it.
      if byte <= UInt8(ascii: "@") {
        if isAuthorityEnd(byte) { break }
        if byte == UInt8(ascii: "@") { host = end + 1 }
      }
      end += 1
    }
    return isHost(text[host..<end])
  }

  /// The index after the scheme and `://`; nil without those.
  private static func authorityStart(of text: ByteView) -> Int? {
    if text.starts(with: "https://") { return 8 }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), isScheme(text[0..<colon]),
      text.dropFirst(colon).starts(with: "://")
    else { return nil }
    return colon + 3
  }

  private static func isScheme(_ text: ByteView) -> Bool {
    text.count > 0 && Characters.isLetter(text[0])
      && (1..<text.count).allSatisfy { isAlphanumeric(text[$0]) || "+.-".utf8.contains(text[$0]) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    Characters.isLetter(byte) || Characters.isDigit(byte)
  }

  private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether the authority without `user@` has a host, optionally followed by `:port`.
  private static func isHost(_ host: ByteView) -> Bool {
    guard host.count > 0 else { return false }
    if host[0] == UInt8(ascii: "[") {
      guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
      return close > 1
    }
    return host[0] != UInt8(ascii: ":")
  }

  /// Whether `text` is an e-mail address: `[^@\s]+@[A-Za-z0-9._-]+\.[A-Za-z0-9]+`.
  static func isEmail(_ text: ByteView) -> Bool {
    guard let at = text.firstIndex(of: UInt8(ascii: "@")), at > 0,
      !Characters.containsWhiteSpace(text[0..<at])
    else { return false }
    let domain = text.dropFirst(at + 1)
    var lastDot = 0
    for index in 0..<domain.count {
      if domain[index] == UInt8(ascii: ".") {
        lastDot = index
      } else if !isAlphanumeric(domain[index]), !"_-".utf8.contains(domain[index]) {
        return false
      }
    }
    return lastDot > 0 && lastDot < domain.count - 1
      && (lastDot + 1..<domain.count).allSatisfy { isAlphanumeric(domain[$0]) }
  }

  /// Whether `text` is a phone number: `\+[0-9]{1,15}`.
  static func isPhone(_ text: ByteView) -> Bool {
    2...1 + Limits.phoneDigits ~= text.count && text[0] == UInt8(ascii: "+")
      && (1..<text.count).allSatisfy { Characters.isDigit(text[$0]) }
  }

  /// Whether `text`, already lower-case, is a topic: `[a-z0-9_]{1,300}`.
  static func isTopic(_ text: ByteView) -> Bool {
    1...Limits.topic ~= text.count
      && (0..<text.count).allSatisfy { index in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= text[index] || Characters.isDigit(text[index])
          || text[index] == UInt8(ascii: "_")
      }
  }
}
