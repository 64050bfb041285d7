package import Foundation

/// Runs the program that was built with the tests.
package enum RunProcess {
  /// How a process ended and what it wrote.
  package struct Result: Sendable {
    /// Exit code; 128 and the number of the signal for a process that a signal ended.
    package let status: Int32
    package let output: [UInt8]
    package let errors: String

    /// The output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of the output.
    package var lines: [Substring] { text.split(separator: "\n") }
  }

  /// The program, which stands beside the test bundle.
  package static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "eventmill")

  /// Runs the program with `arguments` and waits for its end. It sees `PATH` and `environment` only.
  package static func eventmill(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    directory: TemporaryDirectory? = nil
  ) throws -> Result {
    try run(program.path, arguments, input: input, environment, directory)
  }

  /// Runs a line of bash, in which `$eventmill` is the program.
  package static func bash(_ line: String, directory: TemporaryDirectory? = nil) throws -> Result {
    try run(
      "/bin/bash", ["-c", line], input: [], ["eventmill": program.path], directory)
  }

  private static func run(
    _ path: String, _ arguments: [String], input: [UInt8], _ environment: [String: String],
    _ directory: TemporaryDirectory?
  ) throws -> Result {
    // Files instead of pipes: however much is written, nobody waits for anybody.
    let streams = try TemporaryDirectory()
    try Data(input).write(to: streams.url("input"))
    for name in ["output", "errors"] { try Data().write(to: streams.url(name)) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = environment.merging(Self.inherited) { own, _ in own }
    process.currentDirectoryURL = directory?.url ?? streams.url
    process.standardInput = try FileHandle(forReadingFrom: streams.url("input"))
    process.standardOutput = try FileHandle(forWritingTo: streams.url("output"))
    process.standardError = try FileHandle(forWritingTo: streams.url("errors"))
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: Array(try Data(contentsOf: streams.url("output"))),
      errors: String(decoding: try Data(contentsOf: streams.url("errors")), as: UTF8.self))
  }

  /// What a process needs of this one's environment.
  package static let inherited = ProcessInfo.processInfo.environment.filter {
    ["PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"].contains($0.key)
  }
}
