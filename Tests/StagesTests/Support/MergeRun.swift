@testable import Jobs
import Pipeline
@testable import Stages
import TestSupport

/// What a test changes about a merge, beside its steps.
struct MergeSettings {
  var shards = 1
  var jobs = 1
  var snapshot = SnapshotOptions()
  /// Whether logs have small chunks, ranges as soon as possible, and `limit` bytes in memory.
  var isTight = false
  var limit = 0
  /// What frames are compressed with. The manifest has the usual level in any case, so that they
  /// are copied.
  var level = MergeSettings.usualLevel
  var system = System.real

  static let usualLevel = 1

  var options: RunOptions {
    var options = RunOptions()
    options.read.jobs = jobs
    options.publish.level = level
    options.snapshot = snapshot
    return options
  }

  func logs(in folder: StagedFolder, directory: String) -> KeyLogOptions {
    guard isTight else { return KeyLogOptions(partitions: snapshot.partitions) }
    var options = KeyLogOptions(
      partitions: snapshot.partitions, limit: limit, in: folder, directory: directory)
    (options.chunk, options.sample, options.longest) = (1 << 10, 4 << 10, 8 << 10)
    (options.extent, options.repetitive) = (2 << 10, 6 << 10)
    return options
  }
}

/// A run over plain steps with all parts of the merge: shards, spills, the state of an earlier run,
/// publishing. Its output is never renamed, which avoids needless syncs to the disk.
final class MergeRun {
  /// How the state of an earlier run is used.
  enum Continuation {
    /// It is copied from.
    case copying
    /// It is read into the shards, as after a change of the program.
    case reading
  }

  let names = RunNames()
  let shards: [ProfileShard]
  let counts: [Locked<RunCounts>]
  let options: RunOptions
  let spills: SpillStore
  private let scratch: ScratchDirectory
  private let staging: StagedDirectory
  private let control = JobControl()
  private(set) var previous: PreviousState?
  private var events: NameCache
  private var attributes: NameCache
  private var totalsRead = EventTotals()
  private var spilled = 0

  init(_ settings: MergeSettings = MergeSettings()) throws {
    scratch = try ScratchDirectory()
    staging = try StagedDirectory(
      scratch("out"), owner: .of(.output), system: settings.system)
    try staging.makeDirectory(RunFiles.work)
    options = settings.options
    spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, names: names,
      partitions: options.snapshot.partitions, mostOfSize: SpillFixture.mostOfSize)
    counts = (0..<settings.shards).map { _ in Locked(RunCounts()) }
    shards = ProfileShard.shards(
      settings.shards, settings.logs(in: staging.folder, directory: RunFiles.work))
    events = NameCache(of: names.events)
    attributes = NameCache(of: names.attributes)
  }

  /// What a run over the steps publishes that continues from what an earlier one published.
  static func publish(
    _ steps: [Step], _ settings: MergeSettings = MergeSettings(), after last: Published? = nil,
    by way: Continuation = .copying
  ) throws -> Published {
    let run = try MergeRun(settings)
    if let last { try run.goOn(from: last, by: way) }
    try run.apply(steps)
    return try run.publish()
  }

  // MARK: - What goes in

  /// Applies the steps, as slices of at most `slice` operations of one input.
  func apply(_ steps: [Step], slice size: Int = .max) throws {
    var rest = steps[...]
    while let first = rest.first {
      let slices = shards.map { _ in RoutedSlice() }
      var count = 0
      while count < size, rest.first?.input == first.input {
        append(rest.removeFirst(), to: slices)
        count += 1
      }
      for ((shard, counts), slice) in zip(zip(shards, counts), slices) {
        slice.source = InputSourceID(path: first.input)
        shard.apply(slice, counts)
        if let failure = slice.failure { throw failure }
      }
    }
  }

  private func append(_ step: Step, to slices: [RoutedSlice]) {
    let keyHash = step.key.isEmpty ? step.fingerprint.low : hash(step.key)
    let slice = slices[ShardRoute.shard(of: keyHash, count: shards.count)]
    var id: UInt32 = 0
    if !step.name.isEmpty {
      id = step.kind == .event ? events.id(ofText: step.name) : attributes.id(ofText: step.name)
    }
    if case .register(let register) = step.kind { id = UInt32(register.rawValue) }
    if !step.sourceName.isEmpty {
      withByteView(of: step.sourceName) { slice.append(sourceName: $0, of: id) }
    }
    let keyStart = slice.bytes.count
    slice.bytes.append(text: step.key)
    let valueStart = slice.bytes.count
    if step.kind == .link { slice.bytes.append(KeySection.custom.prefix) }
    slice.bytes.append(text: step.value)
    slice.operations.append(
      RoutedOperation(
        keyHash: keyHash, time: step.time, id: step.fingerprint, keyStart: UInt32(keyStart),
        keyLength: UInt32(valueStart - keyStart), valueStart: UInt32(valueStart),
        valueLength: UInt32(slice.bytes.count - valueStart), name: id,
        kind: step.kind.fact, form: step.form, dialect: step.dialect))
  }

  /// Continues from what an earlier run published. Returns whether frames are copied from it.
  @discardableResult
  func goOn(from published: Published, by way: Continuation = .copying) throws -> Bool {
    var options = options
    options.merge.previous = published.path
    let another = ToolVersion(version: "another", commit: "", zstd: "")
    let control = way == .copying ? control : JobControl(tool: another)
    previous = try PreviousPhase(options: options, control: control).run(into: context)
    return previous?.snapshot != nil
  }

  func read(_ published: Published) throws {
    let previous = try Output(published.path)
    _ = try StateLoad(
      previous: try previous.snapshot(0..<previous.partitions), names: names,
      keepsIDs: options.snapshot.dedupeDays > 0, partitions: 0..<1, ofPartitions: 1,
      erasures: Erasures()
    ).run(into: shards, jobs: options.read.jobs, control: control)
  }

  /// Reads what a state records besides its keys, from its text.
  func read(totals: String) throws {
    let text = ByteBuffer(text: totals)
    let read = try StateTotals(text.view, path: "totals", names: names)
    totalsRead.merge(read)
  }

  private var context: MergeContext { MergeContext(names: names, spills: spills, shards: shards) }

  /// Moves everything so far into a spill, as another process would have written it.
  func spill(to store: SpillStore? = nil) throws {
    let store = store ?? spills
    let logs = try KeyLogs(shards, jobs: shards.count)
    spilled += 1
    let file = try staging.folder.create("\(RunFiles.work)/written-\(spilled)")
    let writer = try RunWriter(file, level: 1)
    var compactor = MutationCompactor()
    var duplicates = logs.duplicates
    for partition in 0..<options.snapshot.partitions {
      for section in KeySection.allCases {
        let all = KeyRangeTask(partition: partition, section: section, range: .all)
        logs.expect([all])
        var sources = KWayMerge([try RangeCursor(logs, all)])
        while let key = sources.key {
          let state = sources.merged(by: &compactor, &duplicates)
          try writer.append(
            state, section: section, hash: XXH64.hash(key), partition: partition)
          try sources.advance()
        }
      }
    }
    store.add(duplicates)
    try writer.finish()
    try store.add(
      SortedRun(
        spill: PositionedFile(file.location, doing: "testing"),
        partitions: options.snapshot.partitions, .own))
  }

  // MARK: - What comes out

  func sources() throws -> MergeSources {
    var read = totalsRead
    for shard in counts { read.merge(shard.withLock { $0.totals }) }
    return try MergeSources(context, previous: previous, read: read, options: options.snapshot)
  }

  /// Merges and publishes everything, or the sources that `change` gives. Once.
  func publish(changing change: (MergePlan) -> MergePlan = { $0 }) throws -> Published {
    var sources = try sources()
    sources.plan = change(sources.plan)
    var publisher = SnapshotPublisher(
      sources, after: previous, staging: staging, options: options, control: control)
    let snapshot = try publisher.publish()
    var recorded = options
    recorded.publish.level = MergeSettings.usualLevel
    try Manifest(.output, by: .unversioned, recorded.recorded(Erasures())).write(to: staging)
    return try Published(snapshot, in: staging, scratch, partitions: options.snapshot.partitions)
  }
}

extension ProfileShard {
  func apply(_ slice: RoutedSlice, _ counts: Locked<RunCounts>) {
    process(slice)
    var count = AggregationStage(counts)
    count.process(slice)
  }
}
