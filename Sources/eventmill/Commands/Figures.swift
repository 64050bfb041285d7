import Pipeline

extension JSONWriter {
  /// Writes what a command has read and what it took, as fields of the object that is open
  /// (docs/guides/monitoring.md). What this system does not report is left out.
  mutating func figures(lines: Int? = nil, bytes: Int? = nil, seconds: Double) {
    let usage = ProcessUsage()
    if let lines { member("lines", lines) }
    if let bytes { member("bytes", bytes) }
    member("seconds", seconds)
    if let seconds = usage.processorSeconds { member("processor_seconds", seconds) }
    if let bytes = usage.peakMemory { member("peak_memory_bytes", bytes) }
    if let bytes = usage.readBytes { member("read_bytes", bytes) }
    if let bytes = usage.writtenBytes { member("written_bytes", bytes) }
  }
}
