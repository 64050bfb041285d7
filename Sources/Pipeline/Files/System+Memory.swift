import CAllocations
import CSystem

extension System {
  /// Bytes of memory this process may use: those of the machine, less what a control group (v1 or
  /// v2, its own or one above it), `ulimit -v` or `ulimit -d` takes away. Nil when the system does
  /// not tell. A few small files are read.
  package static var memory: Int? {
    [MemoryLimit().bytes, memoryOfProcess].compactMap(\.self).min()
  }

  /// Bytes of memory after which the process gets no more; nil when nothing but the machine limits
  /// it.
  private static var memoryOfProcess: Int? {
    [csystem_address_space(), csystem_data()].filter { $0 >= 0 }.min().map { Int($0) }
  }

  /// Of a process whose memory is limited: leaves threads no memory of their own that they do not
  /// use, and from now on ends the process with exit code `code` and `message`, which is written to
  /// standard error, when there is no more memory. To be called before threads are started; once.
  package static func endWithoutMemory(_ code: Int32, _ message: @autoclosure () -> String) {
    guard let bytes = memoryOfProcess else { return }
    csystem_limit_arenas(CInt(clamping: max(1, bytes / bytesPerArena)))
    let text = Array(message().utf8)
    let kept = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
    for (place, byte) in text.enumerated() { unsafe kept[place] = CChar(bitPattern: byte) }
    // SAFETY: the text is kept as long as the process lives.
    _ = unsafe callocations_end_without_memory(kept.baseAddress, kept.count, code)
  }

  /// Whether the process can have as much more memory as the smallest job takes, and its libraries,
  /// which do not say so when they get none.
  package static var hasRoom: Bool { csystem_has_room(leastRoom) }

  private static let leastRoom = 16 << 20

  /// Of how many bytes of memory one place of the allocator is worth it.
  private static let bytesPerArena = 1 << 30

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
