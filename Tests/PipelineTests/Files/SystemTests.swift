import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct SystemTests {
  private let fixture = ScratchDirectory.fresh

  private static let isSanitized =
    unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  @Test func descriptorsAreClosedToChildren() throws {
    let connection = try System.real.connection()
    let file = try Descriptor(reading: fixture.write("a"), doing: "testing")
    let input = try Descriptor.standardInput(doing: "testing")
    let numbers = [connection.ours.number, connection.theirs.number, file.number, input.number]
    for number in numbers {
      #expect(number >= Descriptor.firstFree)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    }
  }

  /// The allocator marks a block that is mapped on its own in the word before it. Sanitizers have
  /// an allocator of their own. In a process without other free blocks.
  @Test(.enabled(if: !isSanitized))
  func blockAfterAFreedLargerOneIsMapped() async {
    await #expect(processExitsWith: .success) {
      System.returnFreedMemory()
      unsafe UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 8).deallocate()
      let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 8)
      try #require(unsafe block.load(fromByteOffset: -8, as: UInt.self) & 2 != 0)
    }
  }

  @Test func aThreadsTimeIsThatOfItsWork() {
    let start = DispatchTime.now().uptimeNanoseconds
    let before = System.threadNanoseconds
    var (sum, last): (UInt64, UInt64) = (0, before)
    // As long as it takes until the clock has moved.
    while last == before {
      for number in 0..<10_000 { sum = sum &* 31 &+ UInt64(number) }
      last = System.threadNanoseconds
    }
    #expect(sum != 0 && last > before)
    #expect(last - before <= DispatchTime.now().uptimeNanoseconds - start + 10_000_000)
  }

  @Test func freeSpace() throws {
    #expect(System.bytes(blocks: 3, of: 4096) == 12_288)
    #expect(System.bytes(blocks: .max, of: 2) == .max && System.bytes(blocks: .max, of: 1) == .max)
    #expect(System.bytes(blocks: 0, of: 512) == 0)
    #expect(try System.real.freeSpace(at: fixture.path) > 0)
    let failure = Failure.of(try System.real.freeSpace(at: "/nowhere/at/all"))
    #expect(failure?.kind == .io && failure?.path == "/nowhere/at/all")
  }

  @Test func interruptedCallsAreMadeAgain() throws {
    let path = try fixture.write("a", Array("abcdefgh".utf8))
    let interrupted = Locked(0)
    let system = System { call in
      interrupted.withLock {
        $0 += 1
        return $0.isMultiple(of: 2) ? .short(3) : .error(EINTR)
      }
    }
    let file = try Descriptor(reading: path, doing: "testing", system: system)
    var bytes = ByteBuffer()
    #expect(try file.status().size == 8)
    while try file.read(8, into: &bytes) > 0 {}
    #expect(bytes.view.array == Array("abcdefgh".utf8))
    // Open, status, and reads of 3, 3, 2 and 0 bytes.
    #expect(interrupted.withLock { $0 } == 14)
  }

  /// What needs a change of the user fails again.
  @Test func onlyPassingErrorsMayPass() {
    for code in [ENOSPC, EDQUOT, EIO, ENOMEM, EAGAIN, ENFILE, EBUSY, ESTALE, ETIMEDOUT] {
      let failure = SystemError(code: code).failure(doing: "testing", path: "a")
      #expect(failure.mayPass && failure.advising(["none"]).mayPass, "\(failure.why)")
    }
    for code in [ENOENT, ENOTDIR, EACCES, EPERM, EROFS, EFBIG, EMFILE, ENAMETOOLONG, EISDIR] {
      #expect(!SystemError(code: code).failure(doing: "testing", path: "a").mayPass, "\(code)")
    }
    #expect(SystemError(code: ENOENT).failure(doing: "testing", path: "a", .writing).mayPass)
    let missing = SystemError(code: ENOENT).failure(doing: "testing", path: "a", .creating)
    #expect(!missing.mayPass && missing.advice.contains("create its directory"))
  }

  /// A failure left the directories that were made for its output.
  @Test func directoriesThatAreMadeInVainAreRemoved() throws {
    let made = try System.real.makeDirectories(fixture("a/b/c"), doing: "testing")
    #expect(made == [fixture("a/b/c"), fixture("a/b"), fixture("a")])
    #expect(try System.real.makeDirectories(fixture("a/b"), doing: "testing") == [])
    try fixture.write("a/file")
    System.real.removeEmpty(made)
    #expect(fixture.has("a/file") && !fixture.has("a/b"))
  }

  private func child(
    _ command: String, _ arguments: [String] = [], system: System = .real
  ) throws(SystemError) -> ChildProcess {
    let ends = try System.real.connection()
    return try ChildProcess(
      command, arguments, input: ends.theirs, output: ends.theirs, errors: ends.theirs,
      system: system)
  }

  @Test func everyKindOfCallFailsAsItIsTold() throws {
    let path = try fixture.write("a")
    func faulty(_ call: System.Call) -> System { System { $0 == call ? .error(EIO) : nil } }
    let error = SystemError(code: EIO)
    #expect(throws: Failure.self) {
      _ = try Descriptor(reading: path, doing: "testing", system: faulty(.open))
    }
    #expect(throws: Failure.self) {
      _ = try Descriptor.standardInput(doing: "testing", system: faulty(.duplicate))
    }
    #expect(throws: Failure.self) { try faulty(.resolve).realPath(of: path, doing: "testing") }
    // Only a missing file is nil.
    #expect(throws: Failure.self) { try faulty(.status).statusIfAny(of: path, doing: "testing") }
    #expect(throws: Failure.self) { try faulty(.resolve).realPathIfAny(of: path, doing: "testing") }
    #expect(throws: Failure.self) { try faulty(.space).freeSpace(at: "/") }
    #expect(throws: Failure.self) { try faulty(.list).names(in: fixture.path, doing: "testing") }
    #expect(throws: error) { _ = try faulty(.connect).connection() }
    var interests = [Interest(number: 0, direction: .reading)]
    #expect(throws: error) { try faulty(.poll).wait(for: &interests) }
    #expect(throws: error) { try child("true", system: faulty(.spawn)) }
    #expect(throws: error) { try faulty(.send).connection().ours.offer("x") }
    #expect(throws: error) { try child("true", system: faulty(.collect)).wait() }
  }

  @Test func namesMustBeUTF8() throws {
    try fixture.write("ok.json")
    #expect(try System.real.names(in: fixture.path, doing: "listing") == ["ok.json"])
    try fixture.writeFileWhoseNameIsNotText(in: ".")
    let failure = Failure.of(try System.real.names(in: fixture.path, doing: "listing"))
    #expect(failure?.kind == .io && failure?.advice == "rename that file")
  }

  @Test func closedEndIsToldWithoutASignal() throws {
    let connection = try System.real.connection()
    let ours = connection.keepOurs()
    #expect(try ours.offer(ByteView("x")) == nil)
  }

  @Test func childrenAreCollected() throws {
    #expect(try child("sh", ["-c", "exit 7"]).wait() == .exit(7))
  }

  /// As a migration of deep directories makes them: deeper than files may be open, or a path long.
  @Test func deepTreesAreRemoved() throws {
    try fixture.write("kept/a")
    let name = String(repeating: "d", count: 40)
    var position = try System.real.openDirectory(fixture.path)
    func go(into name: String) throws {
      try #require(unsafe mkdirat(position, name, 0o700) == 0)
      let inner = unsafe openat(position, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      close(position)
      position = inner
      try #require(inner >= 0)
    }
    try go(into: "tree")
    var path = ""
    for _ in 0..<300 {
      try go(into: name)
      path += name + "/"
    }
    close(position)
    let own = OwnFiles([path + "log"])
    #expect(try System.real.remove(own, from: fixture("tree")).isEmpty)
    #expect(try System.real.names(in: fixture.path) == ["kept"])
  }
}
