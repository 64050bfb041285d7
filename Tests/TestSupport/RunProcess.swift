import Foundation

/// Runs the program that was built with the tests.
///
/// By `posix_spawn`, because Foundation's `Process` leaks memory, which the address sanitizer takes
/// for a mistake of ours.
package enum RunProcess {
  package struct Result: Sendable {
    /// Exit code; 128 and the number of the signal for a process that a signal ended.
    package let status: Int32
    package let output: [UInt8]
    package let errors: String

    package var text: String { String(decoding: output, as: UTF8.self) }
    package var lines: [Substring] { text.split(separator: "\n") }
  }

  package struct Trouble: Error { package let code: Int32 }

  /// The path of the program, next to the test bundle.
  private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "eventmill").path

  private static let inherited = ["PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"]

  package static func eventmill(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    directory: ScratchDirectory? = nil
  ) throws -> Result { try run([program] + arguments, input: input, environment, directory) }

  /// Runs lines of bash, in which `$eventmill` is the program.
  package static func bash(_ lines: String, directory: ScratchDirectory? = nil) throws -> Result {
    try run(["/bin/bash", "-c", lines], input: [], ["eventmill": program], directory)
  }

  private static func run(
    _ words: [String], input: [UInt8], _ environment: [String: String],
    _ directory: ScratchDirectory?
  ) throws -> Result {
    // Files instead of pipes: neither process waits, however much is written.
    let streams = try ScratchDirectory()
    try streams.write(input, to: "input")
    var variables = environment
    for name in inherited {
      if let value = ProcessInfo.processInfo.environment[name] { variables[name] = value }
    }
    let settings = variables.map { "\($0)=\($1)" }.sorted()
    let status = try wait(
      for: try spawn(
        ["/usr/bin/env", "-i", "-C", (directory ?? streams).path] + settings + words, streams))
    return Result(
      status: status, output: try content(of: streams("output")),
      errors: String(decoding: try content(of: streams("errors")), as: UTF8.self))
  }

  /// Starts the program `words[0]`, with its streams in the files of `streams`.
  private static func spawn(_ words: [String], _ streams: ScratchDirectory) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, streams("input"), O_RDONLY, 0)
    for (number, name) in [(Int32(1), "output"), (2, "errors")] {
      unsafe posix_spawn_file_actions_addopen(
        &actions, number, streams(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    // A test that writes to closed pipes makes this process ignore the signal. Children inherit
    // that, and `zstd` before `head` would then complain.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe sigaddset(&usual, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    let pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var id: pid_t = 0
    let code = unsafe posix_spawn(&id, words[0], &actions, &attributes, pointers, [nil])
    guard code == 0 else { throw Trouble(code: code) }
    return id
  }

  private static func wait(for id: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { throw Trouble(code: errno) }
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// The bytes of a file. Foundation leaks when it reads an empty one.
  private static func content(of path: String) throws -> [UInt8] {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    return size == 0 ? [] : Array(try Data(contentsOf: URL(filePath: path)))
  }
}
