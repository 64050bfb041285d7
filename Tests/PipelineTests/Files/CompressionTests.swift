import TestSupport
import Testing

@testable import Pipeline

@Suite struct CompressionTests {
  @Test(
    arguments: [
      ([0x28, 0xB5, 0x2F, 0xFD], .zstd), ([0x50, 0x2A, 0x4D, 0x18], .zstd),
      ([0x5F, 0x2A, 0x4D, 0x18, 0, 0], .zstd), ([0x60, 0x2A, 0x4D, 0x18], .none),
      ([0x1F, 0x8B], .gzip), (Array("BZh91AY&SY".utf8), .bzip2),
      (Array("BZh1\u{17}rE8P".utf8) + [0x90], .bzip2), (Array("BZh01AY&SY".utf8), .none),
      (Array("BZh9, he said".utf8), .none), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .xz),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], .none), ([], .none), (Array("{}".utf8), .none),
    ] as [([UInt8], Compression)])
  func theFirstBytesDetermineTheForm(_ bytes: [UInt8], _ form: Compression) {
    #expect(withByteView(of: bytes) { Compression.detect($0) } == form)
  }

  @Test(
    arguments: [
      ("a/b.ndjson.zst", .zstd), ("x.Zstd", .zstd), ("b.gz", .gzip), ("b.xz", .xz),
      ("b.bz2", .bzip2), ("x.BZ2", .bzip2), ("x.B\u{17D}2", nil), ("b.zst.json", nil), ("-", nil),
    ] as [(String, Compression?)])
  func namesPromiseAForm(_ name: String, _ form: Compression?) {
    #expect(Compression.promised(by: name) == form)
  }
}
