import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? {
    var bytes = ByteBuffer()
    bytes.append(0x2E)
    let isRight = withByteView(of: text) { bytes.append(decodingBase64: $0) }
    #expect(isRight || bytes.count == 1, "nothing is appended of what is none")
    return isRight ? Array(bytes.view.array.dropFirst()) : nil
  }

  @Test(arguments: 0..<200) func agreesWithFoundationAndReadsBack(length: Int) {
    var random = RepeatableRandom(seed: UInt64(length))
    let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var plain = ByteBuffer()
    plain.append(contentsOf: bytes)
    var text = ByteBuffer()
    text.append(base64: plain.view)
    #expect(text.view.text == Data(bytes).base64EncodedString(), "seed \(length)")
    #expect(decode(text.view.text) == bytes, "seed \(length)")
  }

  /// A text has one reading.
  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Z=g=", "Zm 9", "Zm9v\n", "Zm-_",
    "=Zg=",
  ])
  func whatIsNoneIsRefused(_ text: String) { #expect(decode(text) == nil) }
}
