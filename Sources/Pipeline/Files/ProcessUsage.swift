import CSystem

/// The resources this process has used so far; nil where the system does not report them.
package struct ProcessUsage: Sendable {
  /// Of all threads, and of child processes that have ended; including kernel time.
  package let processorSeconds: Double?
  /// Peak memory in bytes.
  package let peakMemory: Int?
  /// Bytes read and written, including pipes and temporary files.
  package let readBytes: Int?
  package let writtenBytes: Int?

  private static let longestText = 1 << 13

  /// The usage until now.
  package init() {
    let microseconds = csystem_processor_microseconds()
    processorSeconds = microseconds < 0 ? nil : Double(microseconds) / 1e6
    // Not `getrusage`: it may report the peak of the process that started this one.
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
