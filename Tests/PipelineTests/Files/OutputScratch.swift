import Foundation
import Testing

@testable import Pipeline

/// A directory of its own for one test, removed with it.
final class OutputScratch: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventmill-output-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in the directory.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Everything in the directory, hidden names too, as sorted relative paths.
  func listing() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  /// Writes a file, with the directories that lead to it.
  func put(_ text: String, at name: String) throws {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  /// The text of a file.
  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}

extension Ownership {
  private static let files = ["profiles/part", "state/deep/er/part", "state/part", "manifest.json"]

  /// Recognises the outputs of these tests: directories with a file `manifest.json`.
  static let small = Ownership(
    published: { path, system throws(Failure) in
      let manifest = "\(path)/manifest.json"
      guard try system.statusIfAny(of: manifest, doing: "testing") != nil else {
        return .none("is not an output")
      }
      var own = OwnFiles(files)
      own.mark = "manifest.json"
      return own
    },
    hidden: { _, _ in
      var own = OwnFiles(
        files, templates: ["open", "report.json", "spill/a/x", "unfinished, but not meant"])
      own.mark = "manifest.json"
      return own
    },
    isOutput: { path, system throws(Failure) in
      try system.statusIfAny(of: "\(path)/manifest.json", doing: "testing") != nil
    })

  /// Of what is kept of a job that failed.
  static let rejected = Ownership(
    published: { _, _ in OwnFiles(["report.json"]) }, hidden: small.hidden,
    isOutput: small.isOutput)
}

/// The system with a fault at a counted call, once or permanently.
final class CountedFault: @unchecked Sendable {
  // @unchecked because everything is touched within `lock`.
  private let lock = NSLock()
  private let fault: System.Fault
  private let calls: Set<System.Call>
  private let isLasting: Bool
  private var countdown: Int

  /// The fault happens at call number `number` (from 0) among `calls`.
  init(
    _ fault: System.Fault, at number: Int,
    of calls: [System.Call] = System.Call.allCases, lasting: Bool = false
  ) {
    self.fault = fault
    self.calls = Set(calls)
    isLasting = lasting
    countdown = number
  }

  /// Whether the fault has happened.
  var hasHappened: Bool { lock.withLock { countdown < 0 } }

  /// Counts `call`, and gives the fault when its turn has come.
  func next(_ call: System.Call) -> System.Fault? {
    lock.withLock {
      guard calls.contains(call) else { return nil }
      countdown -= 1
      return countdown == -1 || isLasting && countdown < 0 ? fault : nil
    }
  }

  var system: System { System { self.next($0) } }
}

/// A program that may be missing.
enum Program {
  /// The path of `name`, or nil when it is not installed.
  static func path(of name: String) -> String? {
    let positions = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return positions.split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile(atPath:))
  }

  /// What it writes to its output, and its exit code.
  static func run(_ name: String, _ arguments: [String]) throws -> (output: [UInt8], code: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path(of: name)))
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return (output, process.terminationStatus)
  }
}
