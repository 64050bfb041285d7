import Pipeline
import Stages

/// The stages of a run one at a time, on one thread, on blocks in memory.
///
/// Every block passes through all stages before the next one does, so each stage finds its input in
/// the core's cache as in a real run. The shard is new in each pass: merging is measured from empty
/// tables on, as on a first night. The unit and the names, whose numbers it caches, stay the same,
/// as they do from block to block of a run.
extension Benchmark {
  private typealias Pass = [BenchSubject: Double]

  /// Measures, after passes that do not count; entries in the order of ``BenchSubject``.
  func measureStages() throws(Failure) -> [BenchResult.Entry] {
    control.note("reading the logs into memory")
    let corpus = try BenchCorpus(source(), check: control.check)
    var passes: [Pass] = []
    let unit = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
    let names = RunNames()
    for number in 0..<Self.warmUp + options.runs {
      note("stages", number)
      passes.append(try pass(over: corpus, unit, names))
    }
    return BenchSubject.allCases.filter { $0.kind != .job && options.subjects.contains($0) }.map {
      subject in
      let values = passes.dropFirst(Self.warmUp).map { $0[subject] ?? 0 }
      return BenchResult.Entry(subject, records: corpus.lines, bytes: corpus.bytes, seconds: values)
    }
  }

  private func source() -> InputSource {
    InputSource(
      inputs, maxLine: job.read.rules.longestLine, findsRecords: true, keepsGoing: false,
      position: ReadPosition())
  }

  private func pass(
    over corpus: BenchCorpus, _ unit: WorkUnit, _ names: RunNames
  ) throws(Failure) -> Pass {
    var pass: Pass = [:]
    if options.subjects.contains(.decompress) { try measureReading(of: corpus, unit, &pass) }
    let keys = KeyLogOptions(partitions: job.snapshot.partitions)
    let (shard, counts) = (ProfileShard.shards(1, keys)[0], Locked(RunCounts()))
    var lane = laneMeter(names)
    var owner = StageMeter<RoutedSlice>(needsShard ? Chains.merge(shard, counts) : [])
    for block in corpus.blocks {
      try control.check()
      unit.block.load(block)
      lane.process(unit)
      owner.process(unit.slices[0])
    }
    for reading in lane.readings + owner.readings {
      guard let subject = reading.subject else { continue }
      pass[subject] = Double(reading.nanoseconds) / 1e9
    }
    pass[.canonical] = BenchSubject.canonicalStages.reduce(0) { $0 + (pass[$1] ?? 0) }
    if options.subjects.contains(.publish) {
      try measureWriting([shard], counts.withLock { $0 }, names, &pass)
    }
    return pass
  }

  private var needsShard: Bool {
    !options.subjects.isDisjoint(with: [.merge, .aggregation, .publish])
  }

  /// The stages of a lane, up to the last one that is measured or precedes one that is.
  private func laneMeter(_ names: RunNames) -> StageMeter<WorkUnit> {
    let lines = LineList()
    let kernels: Chains.Lane = [CutStage(into: lines), ParseStage(lines)]
    let stages =
      kernels
      + Chains.ingest(
        job.read.rules, erasure: nil, consent: nil,
        router: RouterStage(names: names, sources: inputs.sourceIDs),
        quarantine: QuarantineStage(sources: inputs.map(\.path)))
    let last = stages.lastIndex { stage in
      guard let subject = BenchSubject(measuring: stage) else { return false }
      return options.subjects.contains(subject) || subject == .router && needsShard
        || BenchSubject.canonicalStages.contains(subject) && options.subjects.contains(.canonical)
    }
    return StageMeter(Array(stages.prefix(last.map { $0 + 1 } ?? 0)))
  }

  private func measureReading(
    of corpus: BenchCorpus, _ unit: WorkUnit, _ pass: inout Pass
  ) throws(Failure) {
    let clock = StopWatch()
    let source = source()
    var bytes = 0
    while bytes < corpus.bytes, try source.fill(unit) {
      try control.check()
      bytes += unit.block.content.count
    }
    pass[.decompress] = clock.seconds
  }

  /// Plans, renders and compresses the snapshot, without writing to disk.
  private func measureWriting(
    _ shards: [ProfileShard], _ counts: RunCounts, _ names: RunNames, _ pass: inout Pass
  ) throws(Failure) {
    let staging = try StagedDirectory("\(scratch)/snapshot", owner: .of(.output))
    defer { staging.discard() }
    let clock = StopWatch()
    try staging.makeDirectory(RunFiles.work)
    let spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, names: names,
      partitions: job.snapshot.partitions)
    let sources = try MergeSources(
      MergeContext(names: names, spills: spills, shards: shards), previous: nil,
      read: counts.totals, options: job.snapshot)
    let planned = clock.seconds
    var publisher = SnapshotPublisher(
      sources, after: nil, staging: staging, options: job, control: control)
    let snapshot = try publisher.publish()
    pass[.publish] = planned + Double(snapshot.time.nanoseconds) / 1e9
  }
}

/// A ``StageChain`` of one thread that measures the processor time of each stage.
private struct StageMeter<Unit> {
  private var stages: [any Stage<Unit>]
  private(set) var readings: [(subject: BenchSubject?, nanoseconds: UInt64)]

  init(_ stages: [any Stage<Unit>]) {
    self.stages = stages
    readings = stages.map { (BenchSubject(measuring: $0), 0) }
  }

  mutating func process(_ unit: Unit) {
    for index in stages.indices {
      let start = System.threadNanoseconds
      stages[index].process(unit)
      readings[index].nanoseconds += System.threadNanoseconds - start
    }
  }
}

/// The first part of the reader by itself: finds the lines of a block.
struct CutStage: Stage {
  static let name = "cut"

  private let lines: LineList

  init(into lines: LineList) { self.lines = lines }

  mutating func process(_ unit: WorkUnit) {
    lines.found.removeAll(keepingCapacity: true)
    guard unit.block.overlong == nil else { return }
    var cursor = LineCursor(bytes: unit.block.bytes)
    while let line = cursor.next() { lines.found.append(line) }
  }
}

/// The second part of the reader by itself: scans the lines into a tape, after checking those that
/// are not ASCII. Lines that are not JSON are scanned up to their fault.
struct ParseStage: Stage {
  static let name = "parse"

  private let lines: LineList
  private let tape = Tape(capacity: 1 << 15)

  init(_ lines: LineList) { self.lines = lines }

  mutating func process(_ unit: WorkUnit) {
    let bytes = unit.block.bytes
    tape.bind(to: bytes)
    for line in lines.found where UTF8Check.isValid(bytes[line]) {
      _ = Scanner.scan(line: line, into: tape)
    }
  }
}

/// The lines of one block, from the stage that found them to the one that scans them.
final class LineList { var found: [Range<Int>] = [] }

/// The decompressed inputs in memory, as blocks of the reader.
struct BenchCorpus {
  /// Most bytes of JSON held; stages ignore the rest, whole jobs do not.
  static let limit = 1 << 30

  private(set) var blocks: [Block] = []
  private(set) var bytes = 0
  private(set) var lines = 0

  /// Reads from `source`, until its end or the limit.
  /// - Throws: `io`, `corrupt`, and what `check` throws, which is called before every block.
  init(_ source: InputSource, check: () throws(Failure) -> Void) throws(Failure) {
    let unit = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
    while bytes < BenchCorpus.limit {
      try check()
      guard try source.fill(unit) else { return }
      let block = Block(capacity: unit.block.content.count)
      block.load(unit.block)
      blocks.append(block)
      bytes += block.content.count
      lines += NewlineScan(block.bytes).count
    }
  }
}

extension Block {
  /// Becomes a copy of `other`. Complexity: O(bytes).
  func load(_ other: Block) {
    content.removeAll()
    content.append(other.bytes)
    seal()
    (input, firstLine, offset) = (other.input, other.firstLine, other.offset)
    (overlong, records) = (other.overlong, other.records)
  }
}
