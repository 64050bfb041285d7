package import Pipeline

/// Makes flat tables from a published output, for analysts (`eventmill export`,
/// docs/reference/file-formats.md).
///
/// Reads profiles and counts once, part by part, on all cores. Memory does not depend on their
/// number. The same output and options make the same bytes, for any number of cores.
package struct ExportJob {
  static let doing = "exporting"
  /// Advice when a file of the output is damaged.
  static let repair = "restore the output from a copy, or make it again"

  /// Units per lane, one in work and one waiting, and beyond these.
  private static let (unitsPerLane, extraUnits) = (2, 3)

  private let output: String
  private let format: ExportFormat
  private let onlyChanges: Bool
  private let options: RunOptions
  private let control: JobControl

  /// A job that makes tables from the output in the directory `output`, or from its changes only.
  /// Of `options` the publication and the number of cores are used.
  package init(
    _ output: String, format: ExportFormat, onlyChanges: Bool = false, options: RunOptions,
    control: JobControl
  ) {
    self.output = control.system.settled(output)
    (self.format, self.onlyChanges) = (format, onlyChanges)
    (self.options, self.control) = (options, control)
  }

  /// A file of the output, and its tables.
  private struct Part {
    let file: WrittenFile
    let source: ExportSource
    let paths: [String]
  }

  /// Runs the job.
  /// - Throws: `usage`, when the directory is not an output, or the tables may not be written;
  ///   `corrupt`, for an output that is damaged; `io`; the failure that the job was cancelled with.
  ///   Then nothing was published.
  package func run() throws(Failure) -> ExportSummary {
    let clock = StopWatch()
    control.plan([.reading, .publishing])
    let output = try Output(output, doing: Self.doing, system: control.system)
    let parts = try parts(of: output)
    control.expect(parts.map { InputFile(path: $0.file.path, size: $0.file.bytes) })
    let publish = options.publish
    let (tables, warning) = try Publication.run(publish, as: .of(.export), control) {
      staging throws(Failure) in
      let cores = try CoreQueues(options.read.jobs)
      let filled = Set(parts.flatMap(\.source.tables))
      for table in ExportTable.allCases where table.isInParts && filled.contains(table) {
        try staging.makeDirectory(table.rawValue)
      }
      var tables = ExportTable.allCases.map { ExportedTable($0) }
      for part in parts {
        for exported in try export(part, to: staging.folder, cores) {
          for index in tables.indices { tables[index].add(exported) }
        }
      }
      // An output without days has no table of them.
      tables.removeAll { $0.files.isEmpty }
      try ExportDocuments(
        tables: tables, format: format, state: Self.hash(output.stateHashes),
        previousState: Self.hash(output.manifest.previousState)
      ).write(to: staging.folder)
      try writeManifest(parts, to: staging)
      return tables
    }
    return ExportSummary(
      tables: tables.map { ($0.table.rawValue, $0.rows, $0.files.count, $0.bytes) },
      bytes: control.position.compressedBytes, seconds: clock.seconds, warning: warning)
  }

  private static func hash(_ state: [UInt64]) -> UInt64 {
    let text = ByteBuffer(text: state.map(XXH64.text).joined())
    return XXH64.hash(text.view)
  }

  /// The files of the output that tables are made from.
  private func parts(of output: Output) throws(Failure) -> [Part] {
    if onlyChanges, output.manifest.previousState.isEmpty {
      throw Failure(
        .usage, doing: Self.doing, path: self.output, why: "it continues no earlier output",
        advice: ["export it without --changes: all of its profiles are new"])
    }
    let (folder, source): (String, ExportSource) =
      onlyChanges ? (RunFiles.changes, .changes) : (RunFiles.profiles, .profiles)
    let partitions = output.partitions
    var files = (0..<partitions).map { number in
      (RunFiles.part(number, of: partitions, in: folder), source, number)
    }
    files.append((RunFiles.countsJSON, .counts, 0))
    if output.manifest[RunFiles.dailyCounts] != nil {
      files.append((RunFiles.dailyCounts, .days, 0))
    }
    return try files.map { name, source, number throws(Failure) in
      Part(
        file: try output.listed(name), source: source,
        paths: source.tables.map { $0.path(format, part: number, of: partitions) })
    }
  }

  /// Writes the tables of a part, and returns what was written for each.
  private func export(
    _ part: Part, to folder: StagedFolder, _ cores: CoreQueues
  ) throws(Failure) -> [ExportedTable] {
    let path = "\(output)/\(part.file.path)"
    let (format, source) = (format, part.source)
    let reader = Exclusive(
      ExportReader(
        InputFile(path: path, size: part.file.bytes), part.file, cores, control.position,
        control.system))
    let lanes = (0..<cores.count).map { _ in Exclusive(ExportRows(source, path: path)) }
    let sink = Exclusive(
      try ExportSink(
        source.tables, format, at: part.paths, in: folder, level: options.publish.level,
        cores: cores))
    let flow = Flow(
      units: Self.unitsPerLane * cores.count + Self.extraUnits,
      of: { ExportUnit(source, format) }, cores: cores,
      fill: reader.part { $0.fill }, lanes: lanes.map { lane in lane.part { $0.fill } },
      finish: sink.part { $0.take })
    try control.run(flow)
    return try sink.use { sink throws(Failure) in try sink.finish() }
  }

  private func writeManifest(_ parts: [Part], to staging: StagedDirectory) throws(Failure) {
    // As listed in the manifest of the output, which they were compared with.
    let inputs = parts.map { InputOutcome(listed: $0.file) }
    let recorded = RecordedOptions { json in
      json.member("format", format.rawValue)
      json.member("level", options.publish.level)
      if onlyChanges { json.member("changes", true) }
    }
    try Manifest(.export, by: control.tool, recorded, inputs: inputs).write(to: staging)
  }
}

/// Reads the lines of a file of an output, and compares it with the manifest. For one thread at a
/// time.
private final class ExportReader {
  /// Longest line, in bytes: that of the largest possible profile.
  private static let longestLine = FrameFileReader.longestText

  private let file: InputFile
  private let listed: WrittenFile
  private let position: ReadPosition
  private let ahead: FramePrefetcher
  private let system: System
  private var reader: BlockReader?
  /// Bytes of text according to the seek table; nil without one.
  private var textLength: Int?

  init(
    _ file: InputFile, _ listed: WrittenFile, _ cores: CoreQueues, _ position: ReadPosition,
    _ system: System
  ) {
    (self.file, self.listed, self.position, self.system) = (file, listed, position, system)
    ahead = FramePrefetcher(cores)
  }

  /// Fills the unit's block with the next lines; false at the end.
  func fill(_ unit: ExportUnit) throws(Failure) -> Bool {
    do throws(Failure) {
      let reader = try opened()
      if try reader.fill(unit.block) {
        guard unit.block.overlong == nil else { throw damaged("a line is too long") }
        return true
      }
      let summary = reader.summary
      reader.close()
      guard summary.compressedBytes == listed.bytes, summary.hash == listed.xxh64,
        summary.lines == listed.lines
      else {
        throw damaged("its content does not match its manifest")
      }
      // A frame may be followed by others that the seek table does not know.
      guard summary.compression == .none || summary.decompressedBytes == textLength else {
        throw damaged("its content does not match its seek table")
      }
      return false
    } catch {
      guard error.kind == .corrupt else { throw error }
      throw Failure(
        .corrupt, doing: ExportJob.doing, path: file.path, frame: error.frame, line: error.line,
        offset: error.offset, why: error.why, advice: ExportJob.repair)
    }
  }

  private func opened() throws(Failure) -> BlockReader {
    if let reader { return reader }
    // Without a seek table it is text, or damaged.
    let frames = try Failure.ifIntact(
      try FrameFile(file.path, doing: ExportJob.doing, system: system))
    try frames?.checkLengths()
    textLength = frames?.textLength
    let opened = try BlockReader(
      file, index: 0, maxLine: Self.longestLine, position: position, ahead: ahead, system: system)
    reader = opened
    return opened
  }

  private func damaged(_ why: String) -> Failure {
    Failure(.corrupt, doing: ExportJob.doing, path: file.path, why: why)
  }
}

struct ExportedTable: Sendable {
  let table: ExportTable
  var files: [WrittenFile] = []
  private(set) var rows = 0
  private(set) var longestRow = 0

  init(_ table: ExportTable) { self.table = table }

  var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

  /// Adds rows that were appended to the file.
  mutating func add(_ text: TableText) {
    rows += text.rows
    longestRow = max(longestRow, text.longestRow)
  }

  /// Adds another result, if it is for the same table.
  mutating func add(_ other: ExportedTable) {
    guard other.table == table else { return }
    files += other.files
    rows += other.rows
    longestRow = max(longestRow, other.longestRow)
  }
}

package struct ExportSummary: Sendable {
  package let tables: [(name: String, rows: Int, files: Int, bytes: Int)]
  /// Bytes read from the output on disk.
  package let bytes: Int
  package let seconds: Double
  /// A problem after the tables were published.
  package let warning: Failure?
}
