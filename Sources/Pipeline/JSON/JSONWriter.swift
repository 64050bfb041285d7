extension ByteBuffer {
  package mutating func appendJSONString(_ view: ByteView) {
    append(UInt8(ascii: "\""))
    for i in 0..<view.count {
      let b = view[i]
      switch b {
      case 0x22: append("\\\"")
      case 0x5c: append("\\\\")
      case 8: append("\\b")
      case 9: append("\\t")
      case 10: append("\\n")
      case 12: append("\\f")
      case 13: append("\\r")
      case 0..<0x20: append("\\u00"); append(UInt8(ascii: "0") + b / 16); append(text: String(b % 16, radix: 16))
      default: append(b)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
extension ByteBuffer {
  package mutating func appendJSONString(_ text: String) {
    var b = ByteBuffer(); b.append(text: text); appendJSONString(b.view)
  }
}
