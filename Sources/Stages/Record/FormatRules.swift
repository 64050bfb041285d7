import Pipeline

/// Values with a format: URL, e-mail address, phone number, topic (data-model 7, 4.4).
enum FormatRules {
  /// Whether `text` is a URL with scheme, `://` and a host.
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
    guard text.count > 0, Characters.isLetter(text[0]) else { return false }
    for index in 1..<text.count {
      let byte = text[index]
      guard
        Characters.isLetter(byte) || Characters.isDigit(byte) || byte == UInt8(ascii: "+")
          || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "-")
      else { return false }
    }
    return true
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
      let byte = domain[index]
      if byte == UInt8(ascii: ".") {
        lastDot = index
      } else if !Characters.isLetter(byte), !Characters.isDigit(byte), byte != UInt8(ascii: "_"),
        byte != UInt8(ascii: "-")
      {
        return false
      }
    }
    guard lastDot > 0, lastDot < domain.count - 1 else { return false }
    for index in lastDot + 1..<domain.count
    where !Characters.isLetter(domain[index]) && !Characters.isDigit(domain[index]) {
      return false
    }
    return true
  }

  /// Whether `text` is a phone number: `\+[0-9]{1,15}`.
  static func isPhone(_ text: ByteView) -> Bool {
    guard text.count >= 2, text.count <= 1 + Limits.phoneDigits, text[0] == UInt8(ascii: "+")
    else { return false }
    for index in 1..<text.count where !Characters.isDigit(text[index]) { return false }
    return true
  }

  /// Whether `text`, already lower-case, is a topic: `[a-z0-9_]{1,300}`.
  static func isTopic(_ text: ByteView) -> Bool {
    guard text.count >= 1, text.count <= Limits.topic else { return false }
    for index in 0..<text.count {
      let byte = text[index]
      guard
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || Characters.isDigit(byte)
          || byte == UInt8(ascii: "_")
      else { return false }
    }
    return true
  }
}
