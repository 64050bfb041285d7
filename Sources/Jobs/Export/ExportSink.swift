import Pipeline

/// Receives the rows of one file of an output in order, and writes them to the files of its tables.
///
/// Frames are cut by their text, so the bytes of the files do not depend on the number of cores.
/// Memory is that of the frames under way (``ParallelFrameEncoder``).
final class ExportSink {
  private let encoder: ParallelFrameEncoder
  private let streams: [SeekableTextStream<SeekableFile>]
  private let cores: CoreQueues
  /// The result for each table; with its files, when they are finished.
  private var tables: [ExportedTable]

  /// A sink to the files `paths` of `tables`, which it creates in `folder`.
  ///
  /// - Throws: `io`.
  init(
    _ tables: [ExportTable], _ format: ExportFormat, at paths: [String], in folder: StagedFolder,
    level: Int, cores: CoreQueues
  ) throws(Failure) {
    self.cores = cores
    encoder = ParallelFrameEncoder(cores, level: level, filledAtOnce: tables.count)
    self.tables = tables.map { ExportedTable($0) }
    var streams: [SeekableTextStream<SeekableFile>] = []
    for (table, path) in zip(tables, paths) {
      let stream = SeekableTextStream(SeekableFile(try folder.create(path)), encoder)
      let header = TableText(table, format)
      header.appendHeader()
      try stream.append(header.text.view)
      streams.append(stream)
    }
    self.streams = streams
  }

  /// Receives the rows of the next unit.
  ///
  /// - Throws: `io`, when something cannot be written.
  func take(_ unit: ExportUnit) throws(Failure) {
    for (index, table) in unit.tables.enumerated() {
      try streams[index].append(table.text.view)
      tables[index].add(table)
    }
  }

  /// Finishes the files, and returns the results.
  ///
  /// - Throws: `io`.
  func finish() throws(Failure) -> [ExportedTable] {
    try cores.withCore { () throws(Failure) in
      for (index, stream) in streams.enumerated() {
        try stream.end { file throws(Failure) in
          self.tables[index].files.append(try file.finish())
        }
      }
      try encoder.finish()
    }
    return tables
  }
}
