import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Whole seconds since 1970 by the machine's clock, for display only; no result may depend on it.
  package static var secondsSince1970: Int { time(nil) }

  /// The command line, with the program's name first. U+FFFD for invalid UTF-8.
  package static var arguments: [String] {
    rawArguments.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A description of the first argument that is not UTF-8.
  package static var unreadableArgument: String? {
    for (number, argument) in rawArguments.enumerated().dropFirst() {
      if let shown = unreadable(argument) { return "argument \(number), \"\(shown)\"," }
    }
    return nil
  }

  /// The same of the first environment variable that begins with `prefix`.
  package static func unreadableVariable(_ prefix: String) -> String? {
    let shown = rawVariables.lazy.compactMap(unreadable).first { $0.hasPrefix(prefix) }
    return shown.map { "the environment variable \($0)" }
  }

  /// The text in the form of messages if it is not UTF-8; nil if it is.
  private static func unreadable(_ text: [UInt8]) -> String? {
    guard String(validating: text, as: UTF8.self) == nil else { return nil }
    return text.reduce(into: "") { shown, byte in
      let isPlain = 0x20..<0x7F ~= byte
      shown += isPlain ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
    }
  }

  /// The environment, by name; the first value counts, as for `getenv`. U+FFFD for invalid UTF-8.
  package static var environment: [String: String] {
    let entries = rawVariables.map { entry in
      let name = entry.prefix { $0 != UInt8(ascii: "=") }
      let value = entry.dropFirst(name.count + 1)
      return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
    return Dictionary(entries) { first, _ in first }
  }

  // MARK: Processors, memory

  /// Number of processors that this process may use, by `taskset` and the CPU set of a container.
  package static var processors: Int { max(1, Int(csystem_processors())) }

  /// Bytes of memory that this process may use (``MemoryLimit``, `ulimit -v`, `ulimit -d`); nil
  /// when unknown.
  package static var memory: Int? {
    [MemoryLimit().bytes, memoryOfProcess].compactMap(\.self).min()
  }

  /// Bytes of memory that resource limits of the process allow; nil without such limits.
  private static var memoryOfProcess: Int? {
    [csystem_address_space(), csystem_data()].filter { $0 >= 0 }.min().map { Int($0) }
  }

  /// Has freed blocks of at least ``leastMapped`` bytes return to the system at once: they would
  /// otherwise stay in the process. Must be called before threads are started.
  package static func returnFreedMemory() { csystem_map_blocks(leastMapped) }

  /// More than the bytes of the blocks of lines, which are reused. Less costs time, more costs
  /// memory (docs/design/performance.md, "Memory").
  private static let leastMapped: CInt = 512 << 10

  /// In a process whose memory is limited: keeps threads from reserving memory, and from now on
  /// ends the process with exit code `code` and `message` on standard error when memory runs out
  /// (``isWithoutMemory``). An arena of the allocator gets 1 GiB at least. Must be called once,
  /// before threads are started.
  package static func endWithoutMemory(_ code: Int32, _ message: @autoclosure () -> String) {
    guard let bytes = memoryOfProcess else { return }
    csystem_limit_arenas(CInt(clamping: max(1, bytes >> 30)))
    end(with: code, message())
  }

  /// Whether memory has run out: then the caller, always the same thread, should remove what the
  /// process has written and call ``exitWithoutMemory()``. Otherwise the process ends by itself
  /// some seconds later.
  package static var isWithoutMemory: Bool { csystem_is_without_memory() != 0 }

  /// Ends the process as ``endWithoutMemory(_:_:)`` says.
  package static func exitWithoutMemory() { csystem_exit_without_memory() }

  /// Whether enough memory is left for the smallest job and its libraries, which do not report it
  /// when they get none.
  package static var hasRoom: Bool { csystem_has_room(16 << 20) }

  /// The first `limit` bytes of a small file of the system; nil when it cannot be read.
  static func text(of path: String, atMost limit: Int = 64 << 10) -> String? {
    guard let file = try? Descriptor(reading: path, doing: "reading"),
      let bytes = try? System.real.beginning(of: file.number, limit: limit)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number behind `name` at the beginning of a line of such a file.
  static func number(_ name: String, in path: String) -> Int? {
    let line = text(of: path, atMost: 8 << 10)?.split(separator: "\n").first { $0.hasPrefix(name) }
    let word = line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
    return word.flatMap { Int($0) }
  }
}
