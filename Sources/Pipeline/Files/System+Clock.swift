#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Whole seconds since 1970 by the clock of the machine. For what tells people when something
  /// happened; no result may depend on it.
  package static var secondsSince1970: Int { time(nil) }

  /// Nanoseconds that the thread which asks has worked so far, in the kernel's work for it, too: not
  /// what other threads and processes took of its core. For reports only.
  package static var threadNanoseconds: UInt64 {
    var time = timespec()
    // SAFETY: the call writes the one value that it is given.
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
