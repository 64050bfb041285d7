import Foundation
import TestSupport
import Testing

@testable import Pipeline

/// Every system call of a run fails once, and lasting faults begin at every call: the output is
/// there completely, or as it was, and nothing else is left.
@Suite struct StagedDirectoryFaultTests {
  enum Before: CaseIterable, Sendable {
    case nothing, emptyDirectory, earlier, earlierWithoutExchange
  }

  private let scratch = ScratchDirectory.fresh

  private func prepare(_ before: Before) throws {
    try? scratch.remove("out")
    switch before {
    case .nothing: break
    case .emptyDirectory: try scratch.makeDirectory("out")
    case .earlier, .earlierWithoutExchange:
      try scratch.write("old", to: "out/manifest.json")
      try scratch.write("old", to: "out/state/part")
    }
  }

  private func listing(_ before: Before) -> [String] {
    switch before {
    case .nothing: []
    case .emptyDirectory: ["out"]
    case .earlier, .earlierWithoutExchange:
      ["out", "out/manifest.json", "out/state", "out/state/part"]
    }
  }

  private static func without(_ before: Before, _ fault: CountedFault) -> System {
    System { call in
      if let fault = fault.next(call) { return fault }
      return call == .exchange && before == .earlierWithoutExchange ? .error(ENOSYS) : nil
    }
  }

  private func run(_ system: System) throws -> Failure? {
    let staged = try StagedDirectory(
      scratch("out"), replaces: true, owner: .small, system: system)
    try staged.makeDirectory("profiles")
    let text = try SeekableTextWriter(try staged.folder.create("profiles/part"), level: 1)
    for _ in 0..<1000 { try text.append("{\"a\":1}\n") }
    _ = try text.finish()
    _ = try staged.folder.write("new", to: "manifest.json", lines: 1)
    return try staged.publish()
  }

  private let published = ["out", "out/manifest.json", "out/profiles", "out/profiles/part"]

  private func expectUntouched(
    _ before: Before, _ failure: Failure, _ label: String
  ) throws {
    var left = try scratch.listing()
    // The lock file must stay if locking failed: another process may be about to lock it.
    if failure.doing == "locking" { left.removeAll { $0 == ".out.lock" } }
    #expect(left == listing(before), "\(label): \(failure.message)")
    if before == .earlier || before == .earlierWithoutExchange {
      #expect(try scratch.text("out/manifest.json") == "old", "\(label)")
    }
  }

  /// Lets a run fail at each of its calls in turn, until no call is left. `body` begins it.
  private func atEachCall(
    _ before: Before, _ fault: (Int) -> CountedFault,
    _ body: (_ run: () throws -> Failure?, CountedFault, String) throws -> Void
  ) throws {
    for number in 0..<300 {
      try prepare(before)
      let fault = fault(number)
      try body({ try run(Self.without(before, fault)) }, fault, "\(before), call \(number)")
      if !fault.hasHappened { return }
    }
    Issue.record("the run makes more calls than expected")
  }

  @Test(arguments: Before.allCases)
  func everyCallFailsOnce(_ before: Before) throws {
    try atEachCall(before, { CountedFault(.error(EIO), at: $0) }) { run, fault, label in
      do {
        let warning = try run()
        #expect(try scratch.text("out/manifest.json") == "new", "\(label)")
        // A fault while the earlier output, or the lock, is removed comes too late to matter.
        let left = try scratch.listing().filter { !published.contains($0) }
        #expect(left.allSatisfy { $0.hasPrefix(".out.") }, "\(label): \(left)")
        if warning == nil { #expect(left.isEmpty || left == [".out.lock"], "\(label): \(left)") }
        if !fault.hasHappened { #expect(warning == nil && left.isEmpty) }
      } catch let failure as Failure {
        #expect(failure.kind == .io, "\(label): \(failure.message)")
        #expect(failure.path != nil && !failure.advice.isEmpty, "\(label): \(failure.message)")
        try expectUntouched(before, failure, label)
      }
      try StagedDirectory(scratch("out"), replaces: true, owner: .small).discard()
      #expect(try scratch.listing().allSatisfy { !$0.hasPrefix(".") }, "\(label)")
    }
  }

  /// The disk fails when the new output has its name already, and then the exchange back fails.
  @Test func theEarlierOutputOutlivesEvenTwoFaults() throws {
    try prepare(.earlier)
    let exchanges = Locked(0)
    let system = System { call in
      let number = exchanges.withLock { count in
        if call == .exchange { count += 1 }
        return count
      }
      switch call {
      case .exchange where number > 1: return .error(EIO)
      case .synchronize where number > 0: return .error(EIO)
      default: return nil
      }
    }
    let failure = #expect(throws: Failure.self) { try run(system) }
    #expect(failure?.doing == "flushing the directory")
    let earlier = ".out.staging-\(System.processID)"
    #expect(try scratch.listing().filter { !$0.contains("/") } == [earlier, "out"])
    #expect(try scratch.text("\(earlier)/manifest.json") == "old")
    #expect(try scratch.text("out/manifest.json") == "new")
  }

  @Test(arguments: Before.allCases)
  func aDiskThatStaysFull(_ before: Before) throws {
    let calls: [System.Call] = [.create, .write, .synchronize, .makeDirectory]
    let full = { CountedFault(.error(ENOSPC), at: $0, of: calls, lasting: true) }
    try atEachCall(before, full) { run, fault, label in
      do {
        _ = try run()
        #expect(try !fault.hasHappened && scratch.listing() == published)
      } catch let failure as Failure {
        #expect(failure.advice == "free some space and run again")
        // An empty directory cannot come back when none can be made.
        if before == .emptyDirectory, try scratch.listing().isEmpty { return }
        try expectUntouched(before, failure, label)
      }
    }
  }

  @Test(arguments: Before.allCases, [System.Fault.error(EINTR), .short(1)])
  func signalsAndShortWritesChangeNothing(
    _ before: Before, _ interruption: System.Fault
  ) throws {
    var expected: [UInt8]?
    try atEachCall(before, { CountedFault(interruption, at: $0) }) { run, _, label in
      #expect(try run() == nil)
      #expect(try scratch.listing() == published, "\(label)")
      let bytes = try scratch.bytes("out/profiles/part")
      #expect(bytes == expected ?? bytes, "\(label)")
      expected = bytes
    }
  }
}
