import TestSupport
import Testing

@testable import Pipeline

@Suite struct UUIDTextTests {
  @Test(
    arguments: [
      ("7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA", .uppercase),
      ("00000000-0000-0000-0000-000000000000", .uppercase),
      ("7a0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa", .mixed),
      ("ffffffff-FFFF-ffff-FFFF-ffffffffffff", .mixed), ("", .none),
      ("7A0C6E1E3B0B4E0B9D590A7E5C0F11AA", .none), ("7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11A", .none),
      ("7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AAB", .none),
      ("7A0C6E1E-3B0B-4E0B-9D590-A7E5C0F11AA", .none),
      ("7A0C6E1E 3B0B 4E0B 9D59 0A7E5C0F11AA", .none),
    ] as [(String, UUIDText.Shape)])
  func shapes(_ text: String, _ shape: UUIDText.Shape) {
    #expect(withByteView(of: text) { UUIDText.shape($0) } == shape)
  }

  @Test func everyByteAtEveryPlace() {
    let good = Array("7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA".utf8)
    for position in good.indices {
      for byte in UInt8.min...UInt8.max {
        var text = good
        text[position] = byte
        let isHyphen = good[position] == UInt8(ascii: "-")
        let isLower = !isHyphen && (0x61...0x66).contains(byte)
        let isUpper = !isHyphen && ((0x30...0x39).contains(byte) || (0x41...0x46).contains(byte))
        let expected: UUIDText.Shape =
          isLower ? .mixed : isUpper || isHyphen && byte == UInt8(ascii: "-") ? .uppercase : .none
        #expect(withByteView(of: text) { UUIDText.shape($0) } == expected, "\(byte) at \(position)")
      }
    }
  }
}
