/// The Unicode scalars of UTF-8 text, one by one. Each invalid byte is U+FFFD.
struct Scalars: Sequence, IteratorProtocol {
  private let text: ByteView

  private(set) var position: Int

  init(_ text: ByteView, from position: Int = 0) { (self.text, self.position) = (text, position) }

  mutating func next() -> Unicode.Scalar? {
    guard position < text.count else { return nil }
    let lead = UInt32(text[position])
    if lead < 0x80 {
      position += 1
      return Unicode.Scalar(UInt8(truncatingIfNeeded: lead))
    }
    let length = text.sequenceLength(at: position)
    defer { position += Swift.max(length, 1) }
    var value: UInt32
    switch length {
    case 2: value = lead & 0x1F
    case 3: value = lead & 0x0F
    case 4: value = lead & 0x07
    default: return "\u{FFFD}"
    }
    for offset in 1..<Swift.max(length, 1) {
      value = value << 6 | UInt32(text[position + offset]) & 0x3F
    }
    return Unicode.Scalar(value)
  }

  /// The last scalar that begins before `end`, and its index.
  static func last(of text: ByteView, before end: Int) -> (scalar: Unicode.Scalar, start: Int)? {
    guard end > 0 else { return nil }
    var start = end - 1
    while start > 0 && end - start < 4 && text[start] & 0xC0 == 0x80 { start -= 1 }
    var scalars = Scalars(text[0..<end], from: start)
    guard let scalar = scalars.next(), scalars.position == end else { return ("\u{FFFD}", end - 1) }
    return (scalar, start)
  }
}
