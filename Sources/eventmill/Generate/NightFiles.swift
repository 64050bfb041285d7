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
  private var line = ByteBuffer(capacity: 1024)
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
  func append(_ number: Int, of generator: LogGenerator) throws(Failure) {
    line.removeAll()
    generator.append(number, to: &line)
    let share = Int(NightFiles.fate(of: number, seed) % 100)
    switch share / 20 {
    case 0, 1: try compressed[0].append(line.view)
    case 2, 3: try compressed[1].append(line.view)
    default: try plain.append(line.view, lines: 1)
    }
    if Int(NightFiles.fate(of: number, seed) >> 48 % 100) < NightFiles.againPercent {
      try redelivered.append(line.view)
    }
  }

  /// Writes those of last night's lines that are delivered again tonight.
  ///
  /// - Throws: `io`.
  func appendLate(_ lines: Range<Int>, of generator: LogGenerator) throws(Failure) {
    for number in lines
    where Int(NightFiles.fate(of: number, seed) >> 32 % 1000) < NightFiles.latePerMille {
      line.removeAll()
      generator.append(number, to: &line)
      try redelivered.append(line.view)
    }
  }

  /// Ends the files.
  ///
  /// - Throws: `io`.
  func finish() throws(Failure) {
    for writer in compressed { _ = try writer.finish() }
    _ = try plain.finish()
    _ = try redelivered.finish()
  }

  /// Random bits that decide the files of a line.
  private static func fate(of line: Int, _ seed: Int) -> UInt64 {
    var random = LogRandom(seed: ~seed, line: line)
    return random.next()
  }
}
