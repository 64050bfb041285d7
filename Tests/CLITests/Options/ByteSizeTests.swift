import Jobs
import Testing

@testable import eventmill

@Suite struct ByteSizeTests {
  @Test(arguments: [
    ("0", 0), ("4096", 4096), ("512M", 512 << 20), ("16MiB", 16 << 20), ("1G", 1 << 30),
    ("1g", 1 << 30), ("2KB", 2000), ("3kib", 3072), ("1T", 1 << 40), ("7B", 7),
    // Numbers, but too large.
    ("9999999999G", .max), ("99999999999999999999", .max),
  ])
  func sizesAreRead(_ text: String, _ bytes: Int) { #expect(ByteSize.parse(text) == bytes) }

  @Test(arguments: ["", "M", "-1", "1.5G", "1 G", "16X", "1MiBs", "１２", "1P"])
  func anythingElseIsNone(_ text: String) { #expect(ByteSize.parse(text) == nil) }

  @Test(arguments: [(0, "0"), (1000, "1000"), (1024, "1K"), (16 << 20, "16M"), (1 << 50, "1024T")])
  func sizesAreWritten(_ bytes: Int, _ text: String) { #expect(ByteSize.text(bytes) == text) }
}
