package import Pipeline
package import Stages

/// The facts of an input after it was read.
package struct InputOutcome: Sendable {
  package let file: InputFile
  /// Nil when the input could not be opened.
  package var summary: InputSummary?
  /// Why it could not be read to its end (`--keep-going`), with the position from which it is lost.
  package var lost: Failure?
  /// Whether it is empty or has a line that is readable as a record (``LogGuard``).
  package var isLog = true
  /// The number of its last line, if that is not JSON and lacks its line feed: it was cut short.
  package var cutShort: Int?
  /// The numbers of the inputs that its redriven lines come from; usually empty.
  package var origins: [InputSourceID] = []

  /// What identifies its content; nil when it was not read to its end.
  var content: ContentFacts? { lost == nil ? summary?.content : nil }

  /// The content that later nights do not read again: of a damaged log that up to the loss. One
  /// that changed while it was read, or could not be read, may have had another.
  var known: ContentFacts? {
    guard let lost else { return content }
    guard isLog, lost.kind == .corrupt, lost.offset == summary?.content?.bytes else { return nil }
    return summary?.content
  }

  /// Whether a job that continues this one must read it again.
  var isUnfinished: Bool { lost != nil || !isLog }
}

extension [InputOutcome] {
  package var compressedBytes: Int { reduce(0) { $0 + ($1.summary?.compressedBytes ?? 0) } }
  package var decompressedBytes: Int { reduce(0) { $0 + ($1.summary?.decompressedBytes ?? 0) } }
}

extension [InputFile] {
  package var sourceIDs: [InputSourceID] { map { InputSourceID(path: $0.path) } }
}

/// Reads the inputs of a job into its units, one after the other. The next files are opened as soon
/// as the open ones are read to their ends, so that their frames are decompressed ahead. Used on
/// the reader's queue only.
package final class InputSource: UnitSource {
  /// Most files opened ahead: each is an open file, and three more with another decompressor.
  static let mostOpenedAhead = 16

  private let keepsGoing: Bool
  private let marksEnds: Bool
  private let ahead: FramePrefetcher
  private let makeReader: (InputFile, Int) throws(Failure) -> BlockReader
  private let mostOpened: Int
  /// The readers of the current input and of those opened ahead.
  private var opened: [BlockReader] = []
  /// It is tried again when its turn comes: by then fewer files may be open, or the job has ended.
  private var openAheadFailed = false
  /// The input being read, or next.
  private var current = 0
  /// Nanoseconds of decompression that other cores did ahead of ``fill(_:)``.
  package var nanosecondsAhead: UInt64 { ahead.nanoseconds }
  var inputs: [InputFile] { read.map(\.file) }
  private var read: [InputOutcome]
  let logGuard: Locked<LogGuard>?
  package var outcomes: [InputOutcome] {
    guard let logGuard else { return read }
    return logGuard.withLock { logs in read.indices.map { logs.outcome(read[$0], of: $0) } }
  }

  /// The inputs that are not logs and the reasons, in input order; final when the flow has ended.
  var notLogs: [Failure] {
    (logGuard?.withLock { $0.findings } ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  /// With `keepsGoing` a damaged input loses only what cannot be read of it. With `marksEnds` an
  /// empty unit follows the last lines of each input (``UnitNotes/ended``). With `cores`,
  /// ``fill(_:)`` runs as a piece of work on them. Without `nonLogs` lines are not read as records.
  /// With `findsRecords` an input may be an array of records, or records over several lines.
  package init(
    _ inputs: [InputFile], maxLine: Int, findsRecords: Bool = false, keepsGoing: Bool,
    nonLogs: NonLogPolicy? = nil, marksEnds: Bool = false, hashes: Bool = true,
    position: ReadPosition, cores: CoreQueues? = nil, system: System = .real
  ) {
    read = inputs.map { InputOutcome(file: $0, summary: nil, lost: nil) }
    logGuard = nonLogs.map { Locked(LogGuard(inputs, $0, keepsGoing: keepsGoing)) }
    self.keepsGoing = keepsGoing
    self.marksEnds = marksEnds
    let ahead = FramePrefetcher(cores)
    self.ahead = ahead
    makeReader = { file, index throws(Failure) in
      try BlockReader(
        file, index: index, maxLine: maxLine, findsRecords: findsRecords, hashes: hashes,
        position: position, ahead: ahead, system: system)
    }
    mostOpened = min(cores?.count ?? 0, InputSource.mostOpenedAhead)
  }

  /// Fills the unit's block with the next lines; false at the end of all inputs.
  package func fill(_ unit: WorkUnit) throws(Failure) -> Bool {
    unit.notes.ended = nil
    while current < read.count {
      do throws(Failure) {
        if opened.isEmpty { try open() }
        openAhead()
        if try opened[0].fill(unit.block) { return true }
      } catch {
        guard keepsGoing else { throw error }
        read[current].lost = error
      }
      let input = current
      end()
      if marksEnds {
        unit.block.clear(of: input)
        unit.notes.ended = read[input]
        return true
      }
    }
    return false
  }

  private func open() throws(Failure) {
    let index = current + opened.count
    opened.append(try makeReader(read[index].file, index))
  }

  /// Opens files as long as the open ones are read to their ends. Never a pipe: it may stay silent
  /// until the inputs before it are done.
  private func openAhead() {
    while let last = opened.last, last.readAhead(), !openAheadFailed, opened.count <= mostOpened,
      current + opened.count < read.count, read[current + opened.count].file.size != nil
    { do throws(Failure) { try open() } catch { openAheadFailed = true } }
  }

  private func end() {
    openAheadFailed = false
    if !opened.isEmpty {
      let reader = opened.removeFirst()
      if read[current].lost != nil {
        do throws(Failure) { try reader.skipToEnd() } catch { reader.close() }
      }
      read[current].summary = reader.summary
      reader.close()
    }
    current += 1
  }
}
