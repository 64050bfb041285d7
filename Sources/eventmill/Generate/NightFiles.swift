import Pipeline

/// The files of a night: three servers, and a queue that delivered some lines again.
final class NightFiles {
  /// Lines per hundred that are delivered again the same night.
  private static let againPercent = 2
  /// Lines per thousand that are delivered again the night after.
  private static let latePerMille = 5

  /// Servers with compressed logs, with two fifths of the lines each, and the queue.
  private let compressed: [SeekableTextWriter]
  private let plain: OutputFile
  private let seed: Int

  init(_ name: String, in staging: StagedDirectory, _ options: GenerateOptions) throws(Failure) {
    try staging.makeDirectory(name)
    compressed = try ["app-00", "app-01", "redelivered"].map { file throws(Failure) in
      try SeekableTextWriter(
        staging.folder.create("\(name)/\(file).ndjson.zst"), level: options.level)
    }
    plain = try staging.folder.create("\(name)/app-02.ndjson")
    seed = options.seed
  }

  func append(_ number: Int, _ line: ByteView) throws(Failure) {
    let fate = fate(of: number)
    switch fate % 100 / 20 {
    case 0, 1: try compressed[0].append(line)
    case 2, 3: try compressed[1].append(line)
    default: try plain.append(line, lines: 1)
    }
    if Int(fate >> 48 % 100) < NightFiles.againPercent { try appendLate(line) }
  }

  /// Whether a line of last night is delivered again tonight.
  func isLate(_ number: Int) -> Bool {
    Int(fate(of: number) >> 32 % 1000) < NightFiles.latePerMille
  }

  func appendLate(_ line: ByteView) throws(Failure) { try compressed[2].append(line) }

  func finish() throws(Failure) {
    for writer in compressed { _ = try writer.finish() }
    _ = try plain.finish()
  }

  /// Random bits that decide the files of a line.
  private func fate(of line: Int) -> UInt64 {
    var random = LogRandom(seed: ~seed, line: line)
    return random.next()
  }
}
