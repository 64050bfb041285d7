import TestSupport
import Testing

@testable import Pipeline

@Suite struct SystemSpaceTests {
  @Test func bytesOfBlocks() {
    #expect(System.bytes(blocks: 3, of: 4096) == 12_288)
    #expect(System.bytes(blocks: .max, of: 2) == .max && System.bytes(blocks: .max, of: 1) == .max)
    #expect(System.bytes(blocks: 0, of: 512) == 0)
  }

  @Test func aDirectoryHasSpace() throws {
    let scratch = try ScratchDirectory()
    #expect(try System.real.freeSpace(at: scratch.path) > 0)
  }

  @Test func whereThereIsNothingIsNoSpace() throws {
    let failure = #expect(throws: Failure.self) { try System.real.freeSpace(at: "/nowhere/at/all") }
    #expect(failure?.kind == .io && failure?.path == "/nowhere/at/all")
    let faulty = System { $0 == .space ? .error(5) : nil }
    #expect(throws: Failure.self) { try faulty.freeSpace(at: "/") }
  }
}
