import Pipeline

/// The files of one night of synthetic logs: from three servers, and from a queue that delivered
/// some lines again.
final class NightFiles {
  /// Lines per hundred that are delivered again the same night.
  private static let againPercent = 2
  /// Lines per thousand that are delivered again the night after.
  private static let latePerMille = 5

  /// Servers with compressed logs, with two fifths of the lines each.
  private let compressed: [SeekableTextWriter]
  /// A server with plain logs.
  private let plain: OutputFile
  private let redelivered: SeekableTextWriter
  private let seed: Int

  /// Creates the files in the folder `name`.
  ///
  /// - Throws: `io`.
  init(_ name: String, in staging: StagedDirectory, _ options: GenerateOptions) throws(Failure) {
    try staging.makeDirectory(name)
    var compressed: [SeekableTextWriter] = []
    for server in ["app-00", "app-01"] {
      let file = try staging.folder.create("\(name)/\(server).ndjson.zst")
      compressed.append(try SeekableTextWriter(file, level: options.level))
    }
    self.compressed = compressed
    plain = try staging.folder.create("\(name)/app-02.ndjson")
    redelivered = try SeekableTextWriter(
      staging.folder.create("\(name)/redelivered.ndjson.zst"), level: options.level)
    seed = options.seed
  }

  /// Writes line number `number` into its files.
  ///
  /// - Throws: `io`.
  func append(_ number: Int, _ line: ByteView) throws(Failure) {
    let fate = fate(of: number)
    switch fate % 100 / 20 {
    case 0, 1: try compressed[0].append(line)
    case 2, 3: try compressed[1].append(line)
    default: try plain.append(line, lines: 1)
    }
    if Int(fate >> 48 % 100) < NightFiles.againPercent { try redelivered.append(line) }
  }

  /// Whether a line of last night is delivered again tonight.
  func isLate(_ number: Int) -> Bool {
    Int(fate(of: number) >> 32 % 1000) < NightFiles.latePerMille
  }

  /// Writes such a line.
  ///
  /// - Throws: `io`.
  func appendLate(_ line: ByteView) throws(Failure) { try redelivered.append(line) }

  /// Ends the files.
  ///
  /// - Throws: `io`.
  func finish() throws(Failure) {
    for writer in compressed { _ = try writer.finish() }
    _ = try plain.finish()
    _ = try redelivered.finish()
  }

  /// Random bits that decide the files of a line.
  private func fate(of line: Int) -> UInt64 {
    var random = LogRandom(seed: ~seed, line: line)
    return random.next()
  }
}
