extension ByteBuffer {
  /// Appends `text` as a JSON string in the shortest escaping (SPEC 2).
  package mutating func appendJSONString(_ text: ByteView) {
    append(UInt8(ascii: "\""))
    for index in 0..<text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20:
        append("\\u00")
        append(byte < 16 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let digit = byte & 15
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
