#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Whole seconds since 1970 by the clock of the machine. For what tells people when something
  /// happened; no result may depend on it.
  package static var secondsSince1970: Int { time(nil) }

  /// The name of this machine; nil when it has none. For what tells people where something
  /// happened.
  package static var hostName: String? {
    var name = [CChar](repeating: 0, count: 257)
    // SAFETY: the call writes at most as many bytes as it is told, and the last one stays 0.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Nanoseconds that the thread which asks has worked so far, in the kernel's work for it, too:
  /// not what other threads and processes took of its core. For reports only.
  package static var threadNanoseconds: UInt64 {
    var time = timespec()
    // SAFETY: the call writes the one value that it is given.
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
