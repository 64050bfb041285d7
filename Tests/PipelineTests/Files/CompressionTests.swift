import TestSupport
import Testing

@testable import Pipeline

@Suite struct CompressionTests {
  static func detect(_ bytes: [UInt8]) -> Compression {
    withByteView(of: bytes) { Compression.detect($0) }
  }

  @Test func formIsToldByTheFirstBytes() {
    #expect(Self.detect([0x28, 0xB5, 0x2F, 0xFD]) == .zstd)
    for low in 0x50...0x5F as ClosedRange<UInt8> {
      #expect(Self.detect([low, 0x2A, 0x4D, 0x18, 0, 0]) == .zstd)
    }
    #expect(Self.detect([0x60, 0x2A, 0x4D, 0x18]) == .none)
    #expect(Self.detect([0x1F, 0x8B]) == .gzip)
    #expect(Self.detect(Array("BZh91AY&SY".utf8)) == .bzip2)
    #expect(Self.detect(Array("BZh1\u{17}rE8P".utf8) + [0x90]) == .bzip2)
    #expect(Self.detect(Array("BZh01AY&SY".utf8)) == .none)
    #expect(Self.detect(Array("BZh9, he said".utf8)) == .none)
    #expect(Self.detect([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) == .xz)
    #expect(Self.detect([0xFD, 0x37, 0x7A, 0x58, 0x5A]) == .none)
    #expect(Self.detect([]) == .none && Self.detect(Array("{}".utf8)) == .none)
  }

  @Test func namesPromiseAForm() {
    #expect(Compression.promised(by: "a/b.ndjson.zst") == .zstd)
    #expect(Compression.promised(by: "b.gz") == .gzip && Compression.promised(by: "b.xz") == .xz)
    #expect(Compression.promised(by: "b.bz2") == .bzip2)
    #expect(Compression.promised(by: "b.zst.json") == nil && Compression.promised(by: "-") == nil)
  }
}
