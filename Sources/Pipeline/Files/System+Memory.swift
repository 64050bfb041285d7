import CSystem

extension System {
  /// Bytes of memory this process may use: those of the machine, less what a control group (v1 or v2,
  /// its own or one above it) or `ulimit -v` takes away. Nil when the system does not tell.
  /// A few small files are read.
  package static var memory: Int? {
    let addresses = Int(csystem_address_space())
    return [MemoryLimit().bytes, addresses < 0 ? nil : addresses].compactMap(\.self).min()
  }

  /// Bytes of memory this process has now (its resident set); nil when the system does not tell.
  package static var residentMemory: Int? {
    text(of: "/proc/self/statm", atMost: statmLength).flatMap { residentPages($0) }
      .map { $0 * Int(csystem_page_size()) }
  }

  /// Longest `/proc/self/statm`: seven numbers.
  private static let statmLength = 256

  /// The second number of `text`, which is that of `/proc/self/statm`: resident pages.
  static func residentPages(_ text: String) -> Int? {
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count > 1 ? Int(words[1]) : nil
  }

  /// The first `limit` bytes of a small file; nil when it cannot be read.
  static func text(of path: String, atMost limit: Int) -> String? {
    guard let file = try? Descriptor(reading: path, doing: "reading") else { return nil }
    var bytes = ByteBuffer(capacity: limit)
    while bytes.count < limit {
      guard let read = try? file.read(limit - bytes.count, into: &bytes) else { return nil }
      if read == 0 { break }
    }
    return bytes.view.text
  }
}
