import Pipeline

/// Walks the frames of one compressed file of an output: decompresses and checks them in parallel,
/// and compares consecutive ones.
///
/// Memory is that of a few frames, for a file of any length.
struct FrameWalk {
  static let doing = "verifying"

  let output: String
  let path: String
  let control: JobControl

  struct Outcome {
    let facts: FileHash
    let lines: Int
    /// Whether all frames could be decompressed.
    let isComplete: Bool
  }

  func run<Check: FrameCheck>(
    _ lanes: [Exclusive<FrameLane<Check>>], index: Exclusive<IndexCheck>? = nil,
    problems: inout ProblemList
  ) throws(Failure) -> Outcome {
    let found = try Failure.ifIntact(
      try FrameFile("\(output)/\(path)", doing: FrameWalk.doing))
    guard let file = found,
      file.frames.allSatisfy({ $0.compressed <= FrameFileReader.longestFrame })
    else {
      problems.add(path, .noSeekTable)
      return Outcome(
        facts: try FileHash(of: "\(output)/\(path)", doing: FrameWalk.doing), lines: 0,
        isComplete: false)
    }
    let source = Exclusive(FrameSource(file, position: control.position))
    let order = Exclusive(FrameOrder(path, index: index, problems: problems))
    defer { problems = order.use { $0.problems } }
    let flow = Flow(
      units: 2 * lanes.count + 1, of: { FrameCheckUnit() },
      cores: try control.cores(lanes.count), fill: source.part { $0.fill },
      lanes: lanes.map { lane in lane.part { $0.check } }, finish: order.part { $0.take })
    try control.run(flow)
    let (lines, hasDamage) = order.use { ($0.lines, $0.hasDamage) }
    return Outcome(
      facts: try source.use { source throws(Failure) in try source.finish() }, lines: lines,
      isComplete: !hasDamage)
  }
}

/// A frame on its way through the checks.
final class FrameCheckUnit: FlowUnit {
  /// Bytes of capacity that a unit keeps from frame to frame.
  fileprivate static let retainedCapacity = 4 << 20

  var sequence = 0
  var entry: SeekTable.Frame?
  var compressed = ByteBuffer()
  var text = ByteBuffer()
  /// Hashes of the frames of a state and of the profiles beside it, in the index.
  var hashes: (state: UInt32, profiles: UInt32) = (0, 0)
  /// The failure to decompress the frame.
  var damage: String?
  let findings = FrameFindings()
  var lines = 0
  var linesAreKnown = true
  var key = ByteBuffer()
  /// The first and the last key in the frame; empty when it has none.
  var firstKey = ByteBuffer()
  var lastKey = ByteBuffer()

  func recycle() {
    entry = nil
    compressed.removeAll()
    compressed.shrink(to: FrameCheckUnit.retainedCapacity)
    text.removeAll()
    text.shrink(to: FrameCheckUnit.retainedCapacity)
    hashes = (0, 0)
    damage = nil
    findings.removeAll()
    lines = 0
    linesAreKnown = true
    firstKey.removeAll()
    lastKey.removeAll()
  }

  /// Compares the current key with the previous one in the frame.
  func noteKey() {
    if lastKey.isEmpty {
      firstKey.append(key.view)
    } else {
      FrameCheckUnit.compare(lastKey.view, key.view, findings)
    }
    swap(&lastKey, &key)
  }

  /// Adds a finding when `key` is not after `last`.
  static func compare(_ last: ByteView, _ key: ByteView, _ findings: FrameFindings) {
    if last < key { return }
    findings.add(last == key ? .repeatedKey : .outOfOrder)
  }
}

/// Reads the frames of the file, and hashes it meanwhile. On the reader's queue only.
private final class FrameSource {
  /// Bytes read at a time after the last frame.
  private static let chunk = 1 << 20

  private let file: FrameFile
  private let position: ReadPosition
  private var next = 0
  private var offset = 0
  private var hash = XXH64()

  init(_ file: FrameFile, position: ReadPosition) { (self.file, self.position) = (file, position) }

  func fill(_ unit: FrameCheckUnit) throws(Failure) -> Bool {
    guard next < file.frames.count else { return false }
    unit.entry = file.frames[next]
    try file.read(frame: next, into: &unit.compressed)
    next += 1
    take(unit.compressed.view)
    return true
  }

  /// Reads the rest, the seek table, and returns length and hash of the file.
  func finish() throws(Failure) -> FileHash {
    var rest = ByteBuffer()
    while offset < file.file.size {
      rest.removeAll()
      try file.file.read(offset..<min(offset + FrameSource.chunk, file.file.size), into: &rest)
      take(rest.view)
    }
    return FileHash(bytes: offset, xxh64: hash.digest)
  }

  private func take(_ bytes: ByteView) {
    hash.update(bytes)
    offset += bytes.count
    position.advance(by: bytes.count)
  }
}

/// Decompresses frames and checks their lines. One per lane; used for file after file.
final class FrameLane<Check: FrameCheck> {
  let check: Check
  private var decoder: FrameFileReader?

  private init(_ check: Check) { self.check = check }

  static func lanes(
    _ count: Int, _ make: () throws(Failure) -> sending Check
  ) throws(Failure) -> [Exclusive<FrameLane>] {
    try (0..<count).map { _ throws(Failure) in Exclusive(FrameLane(try make())) }
  }

  func check(_ unit: FrameCheckUnit) throws(Failure) {
    guard let entry = unit.entry else { return }
    if decoder == nil { decoder = try FrameFileReader() }
    unit.damage = decoder?.decode(unit.compressed.view, at: entry, into: &unit.text)
    guard unit.damage == nil else { return }
    unit.findings.isFirstFrame = unit.sequence == 0
    try check.check(unit)
    // Frames wait for those before them, and may be of any length.
    unit.text.removeAll()
    unit.text.shrink(to: FrameCheckUnit.retainedCapacity)
  }
}

/// Compares each frame with the previous one, and gives findings their position in the file.
private final class FrameOrder {
  private let path: String
  private let index: FlowPart<FrameCheckUnit, Void>?
  private(set) var problems: ProblemList
  private(set) var lines = 0
  private(set) var hasDamage = false
  private var lastKey = ByteBuffer()

  init(_ path: String, index: Exclusive<IndexCheck>?, problems: ProblemList) {
    (self.path, self.problems) = (path, problems)
    self.index = index?.part { $0.take }
  }

  func take(_ unit: FrameCheckUnit) throws(Failure) {
    let frame = unit.sequence
    try index?(unit)
    if let damage = unit.damage {
      hasDamage = true
      problems.add(path, frame: frame, .damagedFrame, damage)
      return
    }
    if !unit.linesAreKnown { hasDamage = true }
    if !unit.firstKey.isEmpty {
      if !lastKey.isEmpty {
        unit.findings.line = 0
        FrameCheckUnit.compare(lastKey.view, unit.firstKey.view, unit.findings)
      }
      swap(&lastKey, &unit.lastKey)
    }
    problems.add(unit.findings.problems) { problem in
      VerifyProblem(
        file: path, frame: frame, line: problem.line.map { lines + $0 + 1 },
        finding: problem.finding)
    }
    lines += unit.lines
  }
}
