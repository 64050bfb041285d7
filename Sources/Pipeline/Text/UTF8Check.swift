/// Validates UTF-8 (data-model 2): no overlong or truncated sequences, surrogates, or scalars above
/// U+10FFFF.
package enum UTF8Check {
  /// Whether `view` is valid UTF-8. ASCII is checked 64 bytes at a time. Complexity:
  /// O(`view.count`).
  package static func isValid(_ view: ByteView) -> Bool { validLength(of: view) == view.count }

  /// The length of the longest valid beginning of `view`. Complexity: O(`view.count`).
  static func validLength(of view: ByteView) -> Int {
    var position = 0
    while true {
      position = firstForeign(in: view, from: position)
      // Text outside ASCII comes in runs: the next sequence is tried before the next 16 bytes.
      repeat {
        guard position < view.count else { return view.count }
        let length = sequenceLength(in: view, at: position)
        guard length > 0 else { return position }
        position += length
      } while position < view.count && view[position] > 0x7F
    }
  }

  /// Appends `view` with U+FFFD for each maximal subpart that is not UTF-8; returns whether there
  /// was one. Complexity: O(`view.count`).
  package static func append(_ view: ByteView, to text: inout ByteBuffer) -> Bool {
    var isReplaced = false
    var position = 0
    while position < view.count {
      let foreign = firstForeign(in: view, from: position)
      text.append(view[position..<foreign])
      position = foreign
      guard position < view.count else { break }
      let length = sequenceLength(in: view, at: position)
      if length > 0 {
        text.append(view[position..<position + length])
        position += length
      } else {
        text.append(text: "\u{FFFD}")
        isReplaced = true
        position += subpartLength(in: view, at: position)
      }
    }
    return isReplaced
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
  package static func isASCII(_ view: ByteView) -> Bool {
    firstForeign(in: view, from: 0) == view.count
  }

  /// The index of the first byte above 0x7F from `start` on, or the end.
  static func firstForeign(in view: ByteView, from start: Int) -> Int {
    var position = start
    while position + 64 <= view.count {
      if view.hasForeign64(at: position) { break }
      position += 64
    }
    // The last 64 bytes at once, including some that were checked before.
    if position + 64 > view.count, view.count >= 64, !view.hasForeign64(at: view.count - 64) {
      return view.count
    }
    while position + 16 <= view.count {
      let foreign = view.foreign16(at: position)
      if foreign != 0 { return position + foreign.trailingZeroBitCount }
      position += 16
    }
    while position < view.count && view[position] < 0x80 { position += 1 }
    return position
  }

  /// The length of the well-formed sequence at `position`, or 0 if it is invalid.
  ///
  /// The second byte reveals overlong forms, surrogates and scalars above U+10FFFF.
  static func sequenceLength(in view: ByteView, at position: Int) -> Int {
    let lead = view[position]
    if lead < 0x80 { return 1 }
    let left = view.count - position
    guard left >= 2 else { return 0 }
    let second = view[position + 1]
    switch lead {
    case 0xC2...0xDF:
      return isContinuation(second) ? 2 : 0
    case 0xE0...0xEF:
      let lowest: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
      let highest: UInt8 = lead == 0xED ? 0x9F : 0xBF
      guard left >= 3, second >= lowest, second <= highest,
        isContinuation(view[position + 2])
      else { return 0 }
      return 3
    case 0xF0...0xF4:
      let lowest: UInt8 = lead == 0xF0 ? 0x90 : 0x80
      let highest: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
      guard left >= 4, second >= lowest, second <= highest,
        isContinuation(view[position + 2]), isContinuation(view[position + 3])
      else { return 0 }
      return 4
    default:
      return 0
    }
  }

  @inline(__always)
  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
