import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct DirectoryLockTests {
  private let scratch = ScratchDirectory.fresh
  private let output: OutputPath

  init() throws { output = try OutputPath(scratch("out")) }

  @Test func oneAtATime() throws {
    let first = try DirectoryLock(output)
    let failure = #expect(throws: Failure.self) { try DirectoryLock(output) }
    #expect(failure?.kind == .locked)
    #expect(failure?.path == scratch("out"))
    #expect(failure?.why == "another run, process \(System.processID), is writing it")
    // Losing does not take the lock away from the one who has it.
    #expect(throws: Failure.self) { try DirectoryLock(output) }
    first.release()
    first.release()
    #expect(try scratch.listing() == [])
    _ = try DirectoryLock(output)
    #expect(try scratch.listing() == [])
  }

  @Test func aFileThatHasTakenTheNameOfTheLockStays() throws {
    let lock = try DirectoryLock(output)
    try scratch.remove(".out.lock")
    try scratch.write("precious", to: ".out.lock")
    lock.release()
    #expect(try scratch.text(".out.lock") == "precious")
  }

  /// Devices as in `/proc/locks`, and major number 0 where that is not the file's.
  @Test(arguments: [
    ("fd:01:131076", true), ("fd:02:131076", false), ("fd:01:131077", false),
    ("fe:01:131076", false),
    ("00:2b:131076", true), ("00:2b:131077", false), ("131076", false), ("x:y:131076", false),
  ])
  func aLockIsOfOneDevice(_ text: String, _ isIt: Bool) {
    #expect(FileIdentity(device: 0xFD01, inode: 131_076).isListed(as: text[...]) == isIt)
    if text == "fd:01:131076" {
      let far = FileIdentity(device: 0xFD << 8 | 0x12 << 20 | 1, inode: 131_076)
      #expect(far.isListed(as: "fd:1201:131076") && !far.isListed(as: text[...]))
    }
  }

  /// As a process has one that is being started, until it runs another program.
  @Test func aCopyOfTheDescriptorHoldsNoLock() throws {
    let system = System { $0 == .removeFile ? .error(EIO) : nil }
    let lock = try DirectoryLock(output, system: system)
    let copy = dup(try #require(scratch.openDescriptors().first))
    defer { close(copy) }
    lock.release()
    try DirectoryLock(output).release()
  }

  @Test func manyThreadsNeverHaveItTogether() throws {
    let crowd = Crowd()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<200 {
        guard let lock = try? DirectoryLock(output) else { continue }
        crowd.pass()
        lock.release()
      }
    }
    #expect(try crowd.figures.most == 1 && scratch.listing() == [])
  }

  @Test(arguments: [ENOSPC, EIO, EINTR])
  func noFaultLeavesALock(_ code: Int32) throws {
    for number in 0..<20 {
      let counted = CountedFault(.error(code), at: number)
      let lock = try? DirectoryLock(output, system: counted.system)
      lock?.release()
      if lock == nil { #expect(counted.hasHappened) }
      // A lock file may stay, but it is not locked.
      try DirectoryLock(output).release()
      #expect(try scratch.listing() == [], "fault \(code) at call \(number)")
      if !counted.hasHappened { return }
    }
    Issue.record("the lock never came about")
  }
}
