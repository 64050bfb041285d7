import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Facts about this process and its machine.

// MARK: - Clock, name, environment

extension System {
  /// Whole seconds since 1970 by the machine's clock, for display only; no result may depend on it.
  package static var secondsSince1970: Int { time(nil) }

  /// The name of this machine, for display; nil when it has none.
  package static var hostName: String? {
    let name = text { unsafe gethostname(&$0, $0.count - 1) }
    return name == "" ? nil : name
  }

  /// The C library's text for the error `code`.
  package static func words(of code: Int32) -> String {
    text { unsafe strerror_r(code, &$0, $0.count) } ?? "error \(code)"
  }

  /// The text that `fill` writes into its buffer; nil when it returns an error.
  private static func text(_ fill: (inout [CChar]) -> Int32) -> String? {
    var room = [CChar](repeating: 0, count: 257)
    guard fill(&room) == 0 else { return nil }
    return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Nanoseconds of processor time of the calling thread so far, including kernel time.
  package static var threadNanoseconds: UInt64 {
    var time = timespec()
    // SAFETY: the call writes only the value that it is given.
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The command line, with the program's name first; empty when the system does not provide it.
  /// U+FFFD for invalid UTF-8.
  package static var arguments: [String] {
    var arguments: [String] = []
    unsafe forEachArgument { arguments.append(unsafe String(cString: $0)) }
    return arguments
  }

  /// A description of the first argument that is not UTF-8; nil when all are.
  package static var unreadableArgument: String? {
    var (found, number): (String?, Int) = (nil, 0)
    unsafe forEachArgument { text in
      if found == nil, number > 0 {
        found = unsafe unreadable(text).map { "argument \(number), \"\($0)\"," }
      }
      number += 1
    }
    return found
  }

  /// The Swift runtime would read the arguments from `/proc`, which a container or a chroot may
  /// lack.
  private static func forEachArgument(_ body: (UnsafePointer<CChar>) -> Void) {
    #if canImport(Glibc)
      for index in 0..<csystem_count_arguments() {
        if let text = unsafe csystem_argument(index) { unsafe body(text) }
      }
    #else
      for index in 0..<Int(CommandLine.argc) {
        if let text = unsafe CommandLine.unsafeArgv[index] { unsafe body(text) }
      }
    #endif
  }

  /// A description of the first environment variable that begins with `prefix` and is not UTF-8.
  package static func unreadableVariable(_ prefix: String) -> String? {
    var found: String?
    unsafe forEachVariable { text in
      guard found == nil, let shown = unsafe unreadable(text), shown.hasPrefix(prefix) else {
        return
      }
      found = "the environment variable \(shown)"
    }
    return found
  }

  /// The text in the form of messages if it is not UTF-8; nil if it is.
  package static func unreadable(_ text: UnsafePointer<CChar>) -> String? {
    // SAFETY: the caller passes a zero-terminated text.
    guard unsafe String(validatingCString: text) == nil else { return nil }
    var shown = ""
    for byte in unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))) {
      let byte = UInt8(bitPattern: byte)
      let isPlain = 0x20..<0x7F ~= byte
      shown += isPlain ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
    }
    return shown
  }

  /// The environment, by name; the first value counts, as for `getenv`. U+FFFD for invalid UTF-8.
  package static var environment: [String: String] {
    var values: [String: String] = [:]
    unsafe forEachVariable { text in
      let entry = unsafe String(cString: text)
      let name = entry.prefix { $0 != "=" }
      if values[String(name)] == nil {
        values[String(name)] = String(entry.dropFirst(name.count + 1))
      }
    }
    return values
  }

  private static func forEachVariable(_ body: (UnsafePointer<CChar>) -> Void) {
    // SAFETY: this program does not change the environment.
    guard var next = unsafe csystem_environment() else { return }
    while let text = unsafe next.pointee {
      unsafe body(text)
      unsafe next += 1
    }
  }

  // MARK: Processors, memory

  /// Number of processors that this process may use, considering `taskset` and the CPU set of a
  /// container. At least 1.
  package static var processors: Int { max(1, Int(csystem_processors())) }

  /// Bytes of memory that this process may use: the machine's, limited by control groups (v1 or v2,
  /// its own or one above it), `ulimit -v` and `ulimit -d`; nil when unknown.
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

  /// Least bytes of a block that is mapped on its own: more than those of the blocks of lines,
  /// which are reused. Less costs time, more costs memory (docs/design/performance.md, "Memory").
  private static let leastMapped: CInt = 512 << 10

  /// In a process whose memory is limited: keeps threads from reserving memory, and from now on
  /// ends the process with exit code `code` and `message` on standard error when memory runs out
  /// (``isWithoutMemory``).
  /// Must be called once, before threads are started.
  package static func endWithoutMemory(_ code: Int32, _ message: @autoclosure () -> String) {
    guard let bytes = memoryOfProcess else { return }
    csystem_limit_arenas(CInt(clamping: max(1, bytes / bytesPerArena)))
    let text = Array(message().utf8)
    let kept = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
    for (index, byte) in text.enumerated() { unsafe kept[index] = CChar(bitPattern: byte) }
    // SAFETY: the text is kept as long as the process lives.
    unsafe csystem_end_without_memory(kept.baseAddress, kept.count, code)
  }

  /// Whether memory has run out: then the caller, always the same thread, should remove what the
  /// process has written and call ``exitWithoutMemory()``. Otherwise the process ends by itself
  /// some seconds later.
  package static var isWithoutMemory: Bool { csystem_is_without_memory() != 0 }

  /// Ends the process as ``endWithoutMemory(_:_:)`` says.
  package static func exitWithoutMemory() { csystem_exit_without_memory() }

  /// Whether enough memory is left for the smallest job and its libraries, which do not report it
  /// when they get none.
  package static var hasRoom: Bool { csystem_has_room(leastRoom) }

  private static let leastRoom = 16 << 20

  /// Bytes of memory per additional arena of the allocator.
  private static let bytesPerArena = 1 << 30

  /// The first `limit` bytes of a small file; nil when it cannot be read.
  static func text(of path: String, atMost limit: Int) -> String? {
    guard let file = try? Descriptor(reading: path, doing: "reading"),
      let bytes = try? System.real.beginning(of: file.number, limit: limit)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
