extension ByteBuffer {
  /// Appends the Base64 text (RFC 4648, with padding) of `bytes`: the form of a line that is not
  /// UTF-8 in the rejects. Complexity: O(`bytes.count`).
  package mutating func append(base64 bytes: ByteView) {
    let alphabet: ByteView = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    reserve((bytes.count + 2) / 3 * 4)
    var position = 0
    while position < bytes.count {
      let count = min(3, bytes.count - position)
      var word = 0
      for index in 0..<3 {
        word = word << 8 | (index < count ? Int(bytes[position + index]) : 0)
      }
      for index in 0..<4 {
        let digit = word >> (18 - 6 * index) & 63
        append(index <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
      position += 3
    }
  }
}
