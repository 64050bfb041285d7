import Pipeline

/// The synthetic logs of a benchmark.
enum BenchLogs {
  /// Lines between two calls of `check`.
  private static let patience = 4096

  /// Writes the logs as one compressed file into `directory` and returns its path.
  ///
  /// - Throws: `io`, and what `check` throws.
  static func write(
    _ options: GenerateOptions, to directory: StagedDirectory, check: () throws(Failure) -> Void
  ) throws(Failure) -> String {
    let name = "bench.ndjson.zst"
    let file = try SeekableTextWriter(directory.folder.create(name), level: options.level)
    let generator = LogGenerator(options)
    var text = ByteBuffer(capacity: 1024)
    for line in 0..<options.lines {
      if line.isMultiple(of: patience) { try check() }
      text.removeAll()
      generator.append(line, to: &text)
      try file.append(text.view)
    }
    _ = try file.finish()
    return "\(directory.folder.path)/\(name)"
  }
}
