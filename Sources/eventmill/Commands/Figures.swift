import Pipeline

extension JSONWriter {
  /// Writes values as fields of the open object.
  mutating func members(_ fields: KeyValuePairs<StaticString, any JSONScalar>) {
    for (name, value) in fields { member(name, value) }
  }

  /// A line for each of `items`: an object, whose fields `members` writes.
  static func lines<Item>(
    of items: some Sequence<Item>, _ members: (Item, inout JSONWriter) -> Void
  ) -> ByteBuffer {
    var text = ByteBuffer()
    for item in items { line(to: &text) { members(item, &$0) } }
    return text
  }

  /// Writes the amount of input and the resources used by a command, as fields of the open object
  /// (docs/guides/monitoring.md). Values that the system does not report are omitted.
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
