import Pipeline
import Stages

/// Counts of reasons, losses and remarks, with their first samples, and of the names in them: what
/// runs and redrives count alike.
///
/// Filled block by block in order, so samples are the first ones. One queue at a time.
struct CodeTally: ~Copyable {
  private var reasons = Codes(samples: 1)
  private var losses = Codes(samples: RunTally.samples)
  private var remarks = Codes(samples: RunTally.samples)
  private var unknownFields = UnknownFields()
  private var implausibleDates = UnknownFields()
  /// The names of the block being counted.
  private var names = FieldTally()

  /// The count and the first samples of each code.
  private struct Codes {
    private let most: Int
    private var counts = [Int](repeating: 0, count: ReasonCode.allCases.count)
    private var samples: [[RunTally.Sample]]

    init(samples most: Int) {
      self.most = most
      samples = Array(repeating: [], count: ReasonCode.allCases.count)
    }

    mutating func add(_ code: ReasonCode, _ sample: () -> RunTally.Sample) {
      let index = Int(code.rawValue)
      counts[index] += 1
      if samples[index].count < most { samples[index].append(sample()) }
    }

    /// The codes that occurred, in the order of ``ReasonCode``.
    var found: [TallyFacts.CodeCount] {
      ReasonCode.allCases.compactMap { code in
        let index = Int(code.rawValue)
        guard counts[index] > 0 else { return nil }
        return TallyFacts.CodeCount(code: code, count: counts[index], samples: samples[index])
      }
    }
  }

  /// Counts a reason.
  mutating func add(_ reason: ReasonCode, _ sample: () -> RunTally.Sample) {
    reasons.add(reason, sample)
  }

  /// Counts the losses and remarks of a block; with `all` also losses of rejected parts. `number`
  /// is that of an event in its line, where it differs; `sample` makes one of a line of the block
  /// and a path in it.
  mutating func add(
    lossesOf batch: RecordBatch, all: Bool = false, number: ((_ event: Int) -> Int)? = nil,
    _ sample: (_ line: Int, _ path: String) -> RunTally.Sample
  ) {
    for index in batch.lossesByLine() where all || batch.counts(loss: index) {
      if let name = batch.unknownField(ofLoss: index) { names.add(name) }
      losses.add(batch.losses[index].code) {
        var path = ByteBuffer(capacity: 64)
        batch.appendPath(
          batch.losses.path(index), at: batch.lossSites[index], to: &path, number: number)
        return sample(batch.line(of: batch.lossSites[index]), path.view.text)
      }
    }
    unknownFields.add(names)
    names.recycle()
    for index in 0..<batch.remarks.count where batch.counts(remark: index) {
      names.add(batch.key(ofRemark: index))
      remarks.add(batch.remarks[index].code) {
        var path = ByteBuffer(capacity: 64)
        batch.appendPath(
          batch.remarks.path(index), at: batch.remarkSites[index], to: &path, number: number)
        return sample(batch.line(of: batch.remarkSites[index]), path.view.text)
      }
    }
    implausibleDates.add(names)
    names.recycle()
  }

  /// Everything counted so far.
  var facts: TallyFacts {
    TallyFacts(
      reasons: reasons.found, losses: losses.found, unknownFields: NameCounts(unknownFields),
      implausibleDates: NameCounts(implausibleDates),
      implausibleSamples: remarks.found.flatMap(\.samples))
  }
}
