import Pipeline
@testable import Stages
import Testing

/// One operation in plain words, as a test writes it down.
struct Step: CustomStringConvertible {
  var kind: RoutedKind
  /// `custom:ID`, `install:ID`, or empty for an anonymous event.
  var key: String
  var name = ""
  var form = KeyForm.plain
  var time = 0
  var value = ""
  /// Event id; empty = none.
  var id = ""
  var dialect = Dialect.v2

  var description: String {
    "\(kind) \(key) \(name) \(form) @\(time) \(value) id=\(id) \(dialect.name)"
  }

  /// The fingerprint the router would make.
  var fingerprint: Fingerprint {
    if id.isEmpty { return .none }
    let text = "\(id)\u{0}\(key)\u{0}\(name)\u{0}\(time)"
    return Fingerprint(low: hash(text, seed: 1), high: hash(text, seed: 2))
  }
}

/// XXH64 of a text.
func hash(_ text: String, seed: UInt64 = 0) -> UInt64 {
  var buffer = ByteBuffer()
  buffer.append(text: text)
  return XXH64.hash(buffer.view, seed: seed)
}

/// A line of a state that is no JSON.
struct Unreadable: Error {
  let line: Int
}

/// What a run publishes.
struct Published: Equatable {
  /// One text per partition.
  var state: [String] = []
  var profiles: [String] = []
  var counts = ""
  var csv = ""
  var overflow = 0
}

/// A run over plain steps with all parts of the merge, on one thread.
final class MergeRun {
  let names = RunNames()
  let shards: [ProfileShard]
  let options: SnapshotOptions
  private var events: NameCache
  private var attributes: NameCache

  init(shards count: Int = 1, options: SnapshotOptions = SnapshotOptions()) {
    var kept = ShardOptions()
    kept.keepsIDs = options.dedupeDays > 0
    shards = (0..<count).map { _ in ProfileShard(options: kept) }
    self.options = options
    events = NameCache(of: names.events)
    attributes = NameCache(of: names.attributes)
  }

  /// Applies the steps, as slices of at most `slice` operations; returns the duplicates told.
  @discardableResult
  func apply(_ steps: [Step], slice size: Int = .max) -> Int {
    var duplicates = 0
    var rest = steps[...]
    repeat {
      let slices = shards.map { _ in RoutedSlice() }
      for step in rest.prefix(size) { append(step, to: slices) }
      rest = rest.dropFirst(size)
      for (shard, slice) in zip(shards, slices) {
        shard.apply(slice)
        duplicates += slice.duplicates
      }
    } while !rest.isEmpty
    return duplicates
  }

  func append(_ step: Step, to slices: [RoutedSlice]) {
    let keyHash = step.key.isEmpty ? step.fingerprint.low : hash(step.key)
    let slice = slices[ShardRoute.shard(of: keyHash, count: shards.count)]
    var name = ByteBuffer()
    name.append(text: step.name)
    var id: UInt32 = 0
    if !step.name.isEmpty {
      id = step.kind == .event ? events.id(of: name.view) : attributes.id(of: name.view)
    }
    let keyStart = slice.bytes.count
    slice.bytes.append(text: step.key)
    let valueStart = slice.bytes.count
    slice.bytes.append(text: step.value)
    slice.operations.append(
      RoutedOperation(
        keyHash: keyHash, time: step.time, id: step.fingerprint, keyStart: UInt32(keyStart),
        keyLength: UInt32(valueStart - keyStart), valueStart: UInt32(valueStart),
        valueLength: UInt32(slice.bytes.count - valueStart), name: id, kind: step.kind,
        form: step.form, dialect: step.dialect))
  }

  /// Merges a state as `publish` returned it.
  func read(_ parts: [String]) throws {
    for part in parts {
      var source = ByteBuffer()
      source.append(text: part)
      let tape = Tape()
      tape.bind(to: source.view)
      let slices = shards.map { _ in StateSlice() }
      var header: StateHeader?
      var (start, number) = (0, 0)
      while let length = source.view.dropFirst(start).firstIndex(of: UInt8(ascii: "\n")) {
        let scanned = Scanner.scan(line: start..<start + length, into: tape)
        start += length + 1
        number += 1
        guard case .value(let root) = scanned else { throw Unreadable(line: number) }
        guard let known = header else {
          header = try StateHeader.read(root: root, of: tape, path: "state")
          continue
        }
        var reader = StateReader(
          path: "state", header: known, names: names, shards: shards.count)
        try reader.read(root: root, of: tape, line: number, into: slices)
      }
      try header?.check(lines: number - 1, path: "state")
      for (shard, slice) in zip(shards, slices) { shard.merge(slice) }
    }
  }

  /// Publishes in pieces of at most `size` keys, the last one first.
  func publish(range size: Int = .max) -> Published {
    let plan = SnapshotPlan(shards: shards, names: names, options: options)
    var result = Published()
    var tally = SnapshotTally()
    for partition in 0..<options.partitions {
      var (profiles, state) = ("", "")
      for piece in plan.pieces(partition: partition, of: size).reversed() {
        var profileText = ByteBuffer()
        var stateText = ByteBuffer()
        var counted = SnapshotTally()
        plan.render(piece, profiles: &profileText, state: &stateText, tally: &counted)
        tally.merge(counted)
        profiles = profileText.view.text + profiles
        state = stateText.view.text + state
      }
      result.profiles.append(profiles)
      result.state.append(state)
    }
    let lines = EventCountLines(plan.totals, names: names.events.list(), profiles: tally)
    var counts = ByteBuffer()
    lines.appendJSON(to: &counts)
    result.counts = counts.view.text
    var csv = ByteBuffer()
    lines.appendCSV(to: &csv)
    result.csv = csv.view.text
    result.overflow = tally.arrayOverflow
    return result
  }
}

extension ProfileShard {
  /// Takes a slice through the two stages of a shard.
  func apply(_ slice: RoutedSlice) {
    var merge = ProfileMergeStage(self)
    merge.process(slice)
    var count = AggregationStage(counters)
    count.process(slice)
  }
}
