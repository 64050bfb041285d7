import Pipeline

/// The files of an archive that has grown over years: a folder for each year, a log for each
/// quarter. The last two years are compressed, older logs are plain text (or compressed by a script
/// later). The middle year has further files: a log that was exported again, one of a machine that
/// crashed, an import from elsewhere, and an empty one.
final class LegacyFiles {
  /// Years at the end whose logs are compressed.
  private static let compressedYears = 2
  /// One line in this many was exported again.
  private static let exportedStep = 3
  /// One line in this many is cut in the middle, on the machine that crashed.
  private static let cutStep = 4
  /// Lines with each likely mistake in the import.
  private static let importRounds = 2
  private static let monthsPerQuarter = 3

  /// A log of the archive.
  private enum Log {
    case plain(OutputFile)
    case compressed(SeekableTextWriter)
  }

  private let staging: StagedDirectory
  private let generator: LogGenerator
  private let lastYear: Int
  private let middleYear: Int
  private let firstYear: Int

  /// The log being written, and its quarter.
  private var current: (name: String, log: Log)?
  private var folders: Set<Int> = []
  private let exported: OutputFile
  private let crashed: OutputFile
  private let imported: OutputFile
  private var importedLines = 0
  private var crashedLines = 0
  private var line = ByteBuffer(capacity: 1024)

  /// Creates the folder of the middle year, and its further files.
  ///
  /// - Throws: `io`.
  init(of generator: LogGenerator, years: Int, in staging: StagedDirectory) throws(Failure) {
    self.staging = staging
    self.generator = generator
    firstYear = LogClock.year(of: generator.options.start)
    lastYear = firstYear + years - 1
    middleYear = firstYear + years / 2
    try staging.makeDirectory("\(middleYear)")
    folders.insert(middleYear)
    exported = try staging.folder.create("\(middleYear)/q3.json")
    crashed = try staging.folder.create("\(middleYear)/crash.ndjson")
    imported = try staging.folder.create("\(middleYear)/import-crm.ndjson")
    _ = try staging.folder.create("\(middleYear)/retry.ndjson").finish()
  }

  /// Writes line number `number`, the next one, into its files.
  ///
  /// - Throws: `io`.
  func append(_ number: Int) throws(Failure) {
    let time = Timestamp.text(generator.time(ofLine: number))
    let year = Int(time.prefix(4)) ?? firstYear
    let month = Int(time.dropFirst(5).prefix(2)) ?? 1
    let quarter = (month - 1) / LegacyFiles.monthsPerQuarter + 1
    line.removeAll()
    generator.append(number, to: &line)
    switch try log(year, quarter) {
    case .plain(let file): try file.append(line.view, lines: 1)
    case .compressed(let file): try file.append(line.view)
    }
    if year == middleYear { try appendBeside(number, quarter) }
  }

  /// The log of a quarter. Finishes the previous one.
  private func log(_ year: Int, _ quarter: Int) throws(Failure) -> Log {
    let name = "\(year)/q\(quarter)\(year == firstYear ? ".json" : ".ndjson")"
    if let current, current.name == name { return current.log }
    try finishQuarter()
    if folders.insert(year).inserted { try staging.makeDirectory("\(year)") }
    let log: Log =
      year > lastYear - LegacyFiles.compressedYears
      ? .compressed(
        try SeekableTextWriter(
          staging.folder.create(name + ".zst"), level: generator.options.level))
      : .plain(try staging.folder.create(name))
    current = (name, log)
    return log
  }

  /// Writes a line of the middle year into the further files that contain it.
  private func appendBeside(_ number: Int, _ quarter: Int) throws(Failure) {
    let traps = DialectLog.unitTraps
    switch quarter {
    case 2 where importedLines < traps.count * LegacyFiles.importRounds:
      line.removeAll()
      generator.append(number, with: traps[importedLines % traps.count], to: &line)
      try imported.append(line.view, lines: 1)
      importedLines += 1
    case 3 where number.isMultiple(of: LegacyFiles.exportedStep):
      try exported.append(line.view, lines: 1)
    case 4:
      // The half line written last before a crash has no line end: the next line follows it.
      crashedLines += 1
      let isCut = crashedLines.isMultiple(of: LegacyFiles.cutStep)
      try crashed.append(
        isCut ? line.view[0..<line.count / 2] : line.view, lines: isCut ? 0 : 1)
    default: break
    }
  }

  /// Ends the files.
  ///
  /// - Throws: `io`.
  func finish() throws(Failure) {
    try finishQuarter()
    for file in [exported, crashed, imported] { _ = try file.finish() }
  }

  private func finishQuarter() throws(Failure) {
    switch current?.log {
    case .plain(let file): _ = try file.finish()
    case .compressed(let file): _ = try file.finish()
    case nil: break
    }
    current = nil
  }
}
