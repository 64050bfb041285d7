/// Validates UTF-8 (data-model 2): no overlong or truncated sequences, surrogates, or scalars above
/// U+10FFFF.
package enum UTF8Check {
  /// Whether `view` is valid UTF-8. Complexity: O(`view.count`).
  package static func isValid(_ view: ByteView) -> Bool { view.utf8Length == view.count }

  /// Appends `view` with U+FFFD for each maximal subpart that is not UTF-8; returns whether there
  /// was one. Complexity: O(`view.count`).
  package static func append(_ view: ByteView, to text: inout ByteBuffer) -> Bool {
    var rest = view
    while true {
      let valid = rest.utf8Length
      text.append(rest[0..<valid])
      if valid == rest.count { return rest.count < view.count }
      text.append(text: "\u{FFFD}")
      rest = rest.dropFirst(valid + subpartLength(in: rest, at: valid))
    }
  }

  /// The length of the maximal subpart at `position`, where no well-formed sequence begins: the
  /// beginning of one, or a single byte.
  private static func subpartLength(in view: ByteView, at position: Int) -> Int {
    let lead = view[position]
    guard 0xE0...0xF4 ~= lead, position + 1 < view.count else { return 1 }
    let second = view[position + 1]
    let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
    let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
    guard lowest...highest ~= second else { return 1 }
    let hasThird = position + 2 < view.count && isContinuation(view[position + 2])
    return lead >= 0xF0 && hasThird ? 3 : 2
  }

  /// Whether no byte is above 0x7F. Complexity: O(`view.count`).
  package static func isASCII(_ view: ByteView) -> Bool { view.asciiLength == view.count }

  @inline(__always)
  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
