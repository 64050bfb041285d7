package import Pipeline
import Stages
import Synchronization

/// Access to a running job from outside: progress, and cancellation. Any thread.
package final class JobControl: Sendable {
  private struct State {
    var failure: Failure?
    var cancel: (@Sendable (Failure) -> Void)?
    /// The function that removes the work so far.
    var discards: [@Sendable () -> Void] = []
    /// By their wanted number.
    var cores: [Int: CoreQueues] = [:]
    var isPublishing = false
    var rejected: RunReport?
    var phases = [JobPhase.reading]
    var phase = JobPhase.reading
    /// Compressed bytes read before the phase began.
    var phaseStart = 0
  }

  private let state = Locked(State())
  /// Compressed bytes read so far.
  package let position = ReadPosition()
  private let total = Atomic<Int>(-1)
  private let recordCount = Atomic<Int>(0)
  private let rejectCount = Atomic<Int>(0)
  private let byteCount = Atomic<Int>(0)
  /// The share of the merge that is done.
  private let merged = Atomic<Int>(0)

  let system: System
  private let notes: @Sendable (String) -> Void
  private let warnings: @Sendable (Failure) -> Void
  let tool: ToolVersion
  /// Program name first.
  private let command: [String]
  /// In seconds since 1970.
  private let started = System.secondsSince1970

  /// Tests pass a `system` that injects faults. Notices that are neither result nor failure go to
  /// `notes`, faults of inputs that do not end the job to `warnings`.
  package init(
    system: System = .real, tool: ToolVersion = .unversioned, command: [String] = [],
    notes: @escaping @Sendable (String) -> Void = { _ in },
    warnings: @escaping @Sendable (Failure) -> Void = { _ in }
  ) {
    (self.system, self.tool, self.command) = (system, tool, command)
    (self.notes, self.warnings) = (notes, warnings)
  }

  func stamp(of output: String) -> RunStamp {
    RunStamp(tool: tool, started: started, command: command, output: output)
  }

  package func note(_ text: String) { notes(text) }

  func warn(_ fault: Failure) {
    // It was reported when the input was read for the first time.
    if phase != .proving { warnings(fault) }
  }

  /// Decompressed bytes processed so far; for a job that does not count them, bytes of files.
  package var bytes: Int {
    let bytes = byteCount.load(ordering: .relaxed)
    return bytes > 0 ? bytes : position.compressedBytes
  }

  package var records: Int { recordCount.load(ordering: .relaxed) }
  package var rejects: Int { rejectCount.load(ordering: .relaxed) }
  package var isPublishing: Bool { state.withLock { $0.isPublishing } }
  /// The findings of a run that ended with too many rejects; nil for any other.
  package var rejected: RunReport? { state.withLock { $0.rejected } }

  /// Cancels the job: it ends soon with `failure`, and nothing is published.
  package func cancel(_ failure: Failure) {
    let cancel = state.withLock { state in
      if state.failure == nil { state.failure = failure }
      return state.cancel
    }
    cancel?(failure)
  }

  /// Removes what a job has written that did not end soon after ``cancel(_:)``; the process must
  /// end then.
  /// - Returns: false when the job is publishing or has published; then it ends by itself.
  package func abandon() -> Bool {
    state.withLock { state in
      if state.isPublishing { return false }
      for discard in state.discards { discard() }
      return true
    }
  }

  /// Called by the job when it begins to write: `discard` removes what was written.
  func onAbandon(_ discard: @escaping @Sendable () -> Void) {
    state.withLock { $0.discards.append(discard) }
  }

  func discardWhenAbandoned(_ staging: StagedDirectory) {
    let written = AbandonedWork(staging: staging)
    onAbandon { written.staging.discard() }
  }

  private struct AbandonedWork: @unchecked Sendable {
    // @unchecked because the job is stuck in a step that writes nothing, or ends with the process.
    let staging: StagedDirectory
  }

  /// Called by the job before it publishes; from then on it cannot be cancelled.
  func beginPublishing() throws(Failure) {
    let failure: Failure? = state.withLock { state in
      // A benchmark repeats its job.
      if state.isPublishing { return nil }
      state.isPublishing = state.failure == nil
      if state.phases.contains(.publishing) { state.phase = .publishing }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// Called by a run that ends with too many rejects: its findings are still of use.
  func report(rejected summary: RunReport) { state.withLock { $0.rejected = summary } }

  /// Called by the job between two steps.
  package func check() throws(Failure) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// The cores of the flows of the job that read no logs: up to `count`.
  /// - Throws: `limit`, when there are not enough threads for one.
  func cores(_ count: Int) throws(Failure) -> CoreQueues {
    if let known = state.withLock({ $0.cores[count] }) { return known }
    let made = try CoreQueues(count)
    return state.withLock { state in
      let cores = state.cores[count] ?? made
      state.cores[count] = cores
      return cores
    }
  }

  /// Runs `flow` so that ``cancel(_:)`` ends it.
  func run<Unit>(_ flow: Flow<Unit>) throws(Failure) {
    // The flow's end refers to this control.
    defer { state.withLock { $0.cancel = nil } }
    let failure = state.withLock { state in
      state.cancel = { flow.cancel($0) }
      return state.failure
    }
    if let failure { throw failure }
    try flow.run()
  }

  /// Calls `body` with each line of a compressed file: the text of its frame, the line in it, and
  /// the number of the frame. Holds one frame in memory.
  func forEachLine(
    of file: FrameFile,
    _ body: (_ text: ByteView, _ line: Range<Int>, _ frame: Int) throws(Failure) -> Void
  ) throws(Failure) {
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    for frame in file.frames.indices {
      try check()
      text.removeAll()
      try reader.decode(frame: frame, of: file, into: &text)
      var lines = LineCursor(bytes: text.view)
      while let line = lines.next() { try body(text.view, line, frame) }
    }
  }

  // MARK: Progress

  package var phases: [JobPhase] { state.withLock { $0.phases } }
  package var phase: JobPhase { state.withLock { $0.phase } }

  /// The share of the phase that is done, 0 to 1; nil when it is not known.
  package var phaseShare: Double? {
    let (phase, start) = state.withLock { ($0.phase, $0.phaseStart) }
    switch phase {
    case .merging: return Double(merged.load(ordering: .relaxed)) / Self.wholeMerge
    case .publishing: return nil
    case .consent, .reading, .proving:
      let whole = total.load(ordering: .relaxed) - start
      let done = position.compressedBytes - start
      return whole > 0 ? min(1, Double(done) / Double(whole)) : nil
    }
  }

  private static var wholeMerge: Double { 1_000_000 }

  /// Called by the job at its beginning.
  func plan(_ phases: [JobPhase]) {
    state.withLock { ($0.phases, $0.phase) = (phases, phases.first ?? .reading) }
  }

  func begin(_ phase: JobPhase) {
    let read = position.compressedBytes
    state.withLock { ($0.phase, $0.phaseStart) = (phase, read) }
  }

  /// Called by a merge: the share of it that is done, 0 to 1.
  func report(merged share: Double) {
    merged.store(Int(share * Self.wholeMerge), ordering: .relaxed)
  }

  /// Called by the job before it reads `inputs`, in addition to what it has read.
  func expect(_ inputs: [InputFile]) {
    let sizes = inputs.map(\.size)
    let read = position.compressedBytes
    let sum = sizes.contains { $0 == nil } ? -1 : sizes.reduce(read) { $0 + ($1 ?? 0) }
    total.store(sum, ordering: .relaxed)
  }

  /// Called for a unit that all stages are done with; `rejects` are the lines with rejects so far.
  func count(_ unit: WorkUnit, rejects: Int) {
    // What is read again for the proof has been counted.
    guard phase != .proving else { return }
    recordCount.wrappingAdd(unit.batch.lineCount, ordering: .relaxed)
    byteCount.wrappingAdd(unit.block.bytes.count, ordering: .relaxed)
    rejectCount.store(rejects, ordering: .relaxed)
  }
}

package enum JobPhase: Int, CaseIterable, Sendable {
  /// Reads the inputs to find out who has opted out (`--honor-opt-out`).
  case consent
  case reading
  /// Reads the output and the inputs again (`migrate --verify`).
  case proving
  case merging
  case publishing

  private var facts: (name: String, weight: Double) {
    switch self {
    case .consent: ("reading consent", 50)
    case .reading: ("reading", 70)
    case .proving: ("verifying", 100)
    case .merging: ("merging", 27)
    case .publishing: ("publishing", 3)
    }
  }

  package var name: String { facts.name }
  /// Approximate duration relative to the other phases, for estimates only.
  package var weight: Double { facts.weight }
}
