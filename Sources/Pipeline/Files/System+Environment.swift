import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// The first variable of the environment that begins with `prefix` and is not UTF-8, in words;
  /// nil when all are.
  package static func unreadableVariable(_ prefix: String) -> String? {
    // SAFETY: as in `environment`.
    guard var next = unsafe csystem_environment() else { return nil }
    while let text = unsafe next.pointee {
      if let shown = unsafe unreadable(text), shown.hasPrefix(prefix) {
        return "the environment variable \(shown)"
      }
      unsafe next += 1
    }
    return nil
  }

  /// The text as messages show it, when it is not UTF-8; nil when it is.
  package static func unreadable(_ text: UnsafePointer<CChar>) -> String? {
    // SAFETY: the caller has a text that ends with a zero byte.
    guard unsafe String(validatingCString: text) == nil else { return nil }
    var shown = ""
    for byte in unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))) {
      let byte = UInt8(bitPattern: byte)
      let isPlain = 0x20..<0x7F ~= byte
      shown += isPlain ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
    }
    return shown
  }

  /// The environment of this process, by name; of a name that is there twice the first value, as
  /// `getenv` finds it. Bytes that are not UTF-8 are replaced.
  package static var environment: [String: String] {
    // SAFETY: nothing in this program changes the environment, so the texts live as long as the
    // process.
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
