package import Pipeline
package import Stages

/// What a run knows of one of its inputs after reading it.
package struct InputOutcome: Sendable {
  package let file: InputFile
  /// Nil when the input could not even be opened.
  package var summary: InputSummary?
  /// Why it could not be read to its end (`--keep-going`), and the position from which it is lost.
  package var lost: Failure?
  /// Whether it has no lines, or one that could be read as a record (``LogGuard``).
  package var isLog = true
  /// The inputs that redriven lines in it come from, by their numbers; usually none.
  package var origins: [InputSourceID] = []

  /// Whether a job that continues this one has to read it again.
  var isUnfinished: Bool { lost != nil || !isLog }
}

extension [InputOutcome] {
  /// Bytes of all inputs as they lie on disk, as far as they were read.
  package var compressedBytes: Int { reduce(0) { $0 + ($1.summary?.compressedBytes ?? 0) } }

  /// Bytes that came out of all inputs.
  package var decompressedBytes: Int { reduce(0) { $0 + ($1.summary?.decompressedBytes ?? 0) } }
}

extension [InputFile] {
  /// What ids of events call the inputs.
  package var sourceIDs: [InputSourceID] { map { InputSourceID(path: $0.path) } }
}

/// Reads the inputs of a job one after the other into its units. Files that follow are opened as
/// soon as there is nothing left to read of those before, so that their frames are decompressed
/// ahead.
///
/// Used on the reader's queue only.
package final class InputSource: UnitSource {
  /// Most files that are opened ahead of their turn, on however many cores: each is an open file,
  /// and three more where another program decompresses it.
  static let mostOpenedAhead = 16

  private let maxLine: Int
  private let keepsGoing: Bool
  private let marksEnds: Bool
  private let hashes: Bool
  private let position: ReadPosition
  private let system: System
  private let ahead: FramePrefetcher
  /// How many files may be opened ahead of their turn.
  private let mostOpened: Int
  /// The readers of the current input and of those opened ahead.
  private var opened: [BlockReader] = []
  /// Whether a file could not be opened ahead. It is tried again when its turn comes: then there
  /// may be fewer open files, or an earlier input has ended the job.
  private var openAheadFailed = false
  /// The input that is read, or comes next.
  private var current = 0
  /// Nanoseconds that frames were decompressed ahead of ``fill(_:)``, by other cores than its own.
  package var nanosecondsAhead: UInt64 { ahead.nanoseconds }
  var inputNames: [String] { read.map(\.file.name) }
  /// What was read of each input.
  private var read: [InputOutcome]
  let logGuard: Locked<LogGuard>?
  /// One outcome per input.
  package var outcomes: [InputOutcome] {
    guard let logGuard else { return read }
    return logGuard.withLock { logs in read.indices.map { logs.outcome(read[$0], of: $0) } }
  }

  /// Why inputs that are not logs are none, in their order; final when the flow has ended.
  var notLogs: [Failure] {
    (logGuard?.withLock { $0.findings } ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  /// A source of `inputs`, in that order. With `keepsGoing` a damaged input costs only what cannot
  /// be read of it. With `marksEnds` an empty unit stands behind the last lines of each input, so
  /// that the ordered end of the flow learns what was read of it (``UnitNotes/ended``). With
  /// `cores`, ``fill(_:)`` is called from a piece of work of that budget. `nonLogs` is what becomes
  /// of inputs that are not logs; nil where their lines are not read as records. Without `hashes`
  /// nobody may ask for the hashes of the inputs.
  package init(
    _ inputs: [InputFile], maxLine: Int, keepsGoing: Bool, nonLogs: NonLogPolicy? = nil,
    marksEnds: Bool = false, hashes: Bool = true, position: ReadPosition,
    cores: CoreBudget? = nil, system: System = .real
  ) {
    read = inputs.map { InputOutcome(file: $0, summary: nil, lost: nil) }
    logGuard = nonLogs.map { Locked(LogGuard(inputs, $0, keepsGoing: keepsGoing)) }
    self.maxLine = maxLine
    self.keepsGoing = keepsGoing
    self.marksEnds = marksEnds
    self.hashes = hashes
    self.position = position
    self.system = system
    ahead = FramePrefetcher(cores)
    mostOpened = min(cores?.count ?? 0, InputSource.mostOpenedAhead)
  }

  /// Fills the unit's block with the next lines; false when all inputs are read.
  ///
  /// - Throws: `corrupt` or `io` for an input that cannot be read, unless the source keeps going.
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

  /// Opens the input behind those that are open.
  private func open() throws(Failure) {
    let index = current + opened.count
    opened.append(
      try BlockReader(
        read[index].file, index: index, maxLine: maxLine, hashes: hashes, position: position,
        ahead: ahead, system: system))
  }

  /// Opens files as long as those that are open have been read to their ends. Never a pipe: it may
  /// have nothing to say before the inputs in front of it are done.
  private func openAhead() {
    while let last = opened.last, last.readAhead(), !openAheadFailed, opened.count <= mostOpened,
      current + opened.count < read.count, read[current + opened.count].file.size != nil
    {
      do throws(Failure) { try open() } catch { openAheadFailed = true }
    }
  }

  /// Notes what was read of the current input and goes on to the next one.
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
