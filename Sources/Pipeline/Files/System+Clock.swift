#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Whole seconds since 1970 by the clock of the machine. For what tells people when something
  /// happened; no result may depend on it.
  package static var secondsSince1970: Int { time(nil) }
}
