import Pipeline
import Synchronization

/// Logs → canonical v2 logs, compressed, and then forgotten: what migrating whole files costs,
/// without the files that it would write.
struct MigrateFlow {
  private let options: RunOptions
  private let control: JobControl

  init(_ options: RunOptions, control: JobControl) {
    self.options = options
    self.control = control
  }

  /// Migrates all inputs.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run() throws(Failure) -> BenchWork {
    let inputs = try InputDiscovery.inputs(options.inputs)
    let cores = CoreBudget(cores: options.jobs)
    let source = InputSource(
      inputs, maxLine: options.rules.maxLine, keepsGoing: false, position: control.position,
      cores: cores)
    let sink = TallySink(inputs: inputs.count, control: control)
    let rules = options.rules
    var encoders: [ZstdEncoder] = []
    for _ in 0..<options.jobs { encoders.append(try ZstdEncoder(level: options.level)) }
    // One encoder per lane; the engine makes the lanes one after the other.
    var unused = encoders[...]
    let flow = RecordFlow(
      stages: {
        [
          ReaderStage(rules: rules), ValidatorStage(rules: rules), MigrationStage(),
          CanonicalFrameStage(unused.removeFirst()),
        ]
      }, shardStages: { _ in [] }, cores: cores, shards: 0)
    _ = try flow.run(
      source, control: control, finish: { unit throws(Failure) in sink.take(unit) })
    let facts = sink.facts(source.outcomes)
    return BenchWork(
      lines: facts.total.lines,
      bytes: source.outcomes.reduce(0) { $0 + ($1.summary?.decompressedBytes ?? 0) })
  }
}

/// Writes the records of a block in their canonical form, and compresses them as a frame.
struct CanonicalFrameStage: Stage {
  static let name = "canonical"

  private let encoder: ZstdEncoder
  private let frame = Frame()

  init(_ encoder: ZstdEncoder) { self.encoder = encoder }

  mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    Self.write(unit.batch, to: &unit.text)
    frame.bytes.removeAll()
    do throws(Failure) {
      try encoder.compress(unit.text.view, into: &frame.bytes)
    } catch {
      preconditionFailure(error.message)
    }
  }

  private static func write(_ batch: RecordBatch, to text: inout ByteBuffer) {
    for record in batch.records.indices
    where CanonicalWriter.append(record: record, of: batch, to: &text) {
      text.append(UInt8(ascii: "\n"))
    }
  }

  private final class Frame {
    var bytes = ByteBuffer(capacity: 1 << 18)
  }
}
