import TestSupport
import Testing

@testable import Pipeline

@Suite struct FileHashTests {
  @Test(arguments: [0, 1, 31, 32, 1 << 20, (1 << 20) + 7, 3_000_000])
  func aFileHasItsLengthAndHash(length: Int) throws {
    let scratch = try ScratchDirectory()
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 131) }
    let path = try scratch.write(bytes, to: "a")
    var seen = 0
    let hash = try FileHash(of: path, doing: "hashing") { piece in seen += piece.count }
    #expect(hash.bytes == length && seen == length)
    #expect(hash.xxh64 == withByteView(of: bytes) { XXH64.hash($0) })
  }

  @Test func whoReadsAlongCanStop() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write([1], to: "a")
    let stop = Failure(.interrupted, doing: "hashing", why: "enough")
    #expect(throws: stop) {
      _ = try FileHash(of: path, doing: "hashing") { _ throws(Failure) in throw stop }
    }
  }

  @Test func whatCannotBeReadIsAFailure() throws {
    let scratch = try ScratchDirectory()
    for (path, kind) in [(scratch("none"), Failure.Kind.io), (scratch.path, .corrupt)] {
      do {
        _ = try FileHash(of: path, doing: "hashing")
        Issue.record("\(path) was read")
      } catch {
        #expect(error.kind == kind && error.path == path)
      }
    }
  }
}
