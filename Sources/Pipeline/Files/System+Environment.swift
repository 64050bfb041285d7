import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// The environment of this process, by name; of a name that is there twice the first value, as `getenv`
  /// finds it. Bytes that are not UTF-8 are replaced.
  package static var environment: [String: String] {
    // SAFETY: nothing in this program changes the environment, so the texts live as long as the process.
    guard var next = unsafe csystem_environment() else { return [:] }
    var values: [String: String] = [:]
    while let text = unsafe next.pointee {
      let entry = unsafe String(cString: text)
      let name = entry.prefix { $0 != "=" }
      if values[String(name)] == nil {
        values[String(name)] = String(entry.dropFirst(name.count + 1))
      }
      unsafe next += 1
    }
    return values
  }
}
