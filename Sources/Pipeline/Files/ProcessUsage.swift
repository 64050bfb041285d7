import CSystem

/// The resources this process has used so far, in bytes; nil where the system does not report them.
package struct ProcessUsage: Sendable {
  /// Of all threads, and of child processes that have ended; including kernel time.
  package let processorSeconds: Double?
  package let peakMemory: Int?
  /// Bytes read and written, including pipes and temporary files.
  package let readBytes: Int?
  package let writtenBytes: Int?

  package init() {
    let microseconds = csystem_processor_microseconds()
    processorSeconds = microseconds < 0 ? nil : Double(microseconds) / 1e6
    // Not `getrusage`: it may report the peak of the process that started this one.
    peakMemory = System.number("VmHWM:", in: "/proc/self/status").map { $0 << 10 }
    readBytes = System.number("rchar:", in: "/proc/self/io")
    writtenBytes = System.number("wchar:", in: "/proc/self/io")
  }
}
