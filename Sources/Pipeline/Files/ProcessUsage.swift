import CSystem

/// What this process has taken of its machine so far; nil for what the system does not report.
package struct ProcessUsage: Sendable {
  /// Of all threads, and of programs that it started and that have ended; the kernel's included.
  package let processorSeconds: Double?
  /// The most bytes of memory that it has held at a time.
  package let peakMemory: Int?
  /// Bytes that it has read and written, files or not, temporary ones included.
  package let readBytes: Int?
  package let writtenBytes: Int?

  private static let longestText = 1 << 13

  /// The usage until now.
  package init() {
    let microseconds = csystem_processor_microseconds()
    processorSeconds = microseconds < 0 ? nil : Double(microseconds) / 1e6
    // Not `getrusage`: its figure may be that of the process which started this one.
    let status = System.text(of: "/proc/self/status", atMost: Self.longestText)
    peakMemory = Self.number("VmHWM:", in: status).map { $0 << 10 }
    let transfers = System.text(of: "/proc/self/io", atMost: Self.longestText)
    readBytes = Self.number("rchar:", in: transfers)
    writtenBytes = Self.number("wchar:", in: transfers)
  }

  /// The number in the line of `text` that begins with `name`.
  private static func number(_ name: String, in text: String?) -> Int? {
    let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap {
      Int($0)
    }
  }
}
