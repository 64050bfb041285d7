import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// What holds for every line, of whatever dialect and whatever it contains.
@Suite struct DialectFuzzTests {
  /// Random lines, and the rules under which they are read.
  enum Source: CaseIterable {
    case v1AndV2, lenient, sdkAndAction, foreign, strict, mapped, mappedKeeping, mappedRejecting

    func lines(_ count: Int, seed: UInt64) -> [String] {
      var lines: any RandomLines =
        switch self {
        case .v1AndV2, .lenient: RandomPlainLines(seed: seed)
        case .sdkAndAction: RandomDialectLines(seed: seed)
        case .foreign, .strict: RandomForeignLines(seed: seed)
        case .mapped, .mappedKeeping, .mappedRejecting: GameLines(seed: seed)
        }
      return (0..<count).map { _ in lines.line() }
    }

    func rules() throws -> Rules {
      let game = [Array(MappingFixture.game.utf8)]
      return switch self {
      case .v1AndV2, .sdkAndAction: Rules()
      case .lenient: .lenient
      case .foreign: try Rules(options: ["--repair"])
      case .strict: try Rules(options: ["--repair", "--foreign", "strict"])
      case .mapped: try Rules(options: [], mappings: game)
      case .mappedKeeping: try Rules(options: ["--unknown-fields", "keep"], mappings: game)
      case .mappedRejecting: try Rules(options: ["--unknown-fields", "reject"], mappings: game)
      }
    }

    /// Of a thousand lines, how many become a record at least.
    var least: Int {
      switch self {
      case .v1AndV2, .strict: 30
      case .lenient, .sdkAndAction, .foreign: 200
      case .mapped, .mappedKeeping: 100
      case .mappedRejecting: 10
      }
    }
  }

  /// Every line becomes a record that has the same meaning when it is read as v2: the same text,
  /// and the same changes of the same keys. It does not repeat a field.
  @Test(arguments: Effort.first(3, of: Array(0..<12)) as [UInt64], Source.allCases)
  func canonicalRecordsHaveTheSameMeaning(seed: UInt64, source: Source) throws {
    let (rules, names) = (try source.rules(), RunNames())
    let (harness, plain) = (StageHarness(), StageHarness())
    var survived = 0
    for line in source.lines(300, seed: seed) {
      let comment: Comment = "seed \(seed): \(line)"
      let first = try harness.explain(line, rules)
      let changes = Self.routed(harness, names)
      guard let canonical = first.canonical else {
        #expect(changes.isEmpty && (!first.reasons.isEmpty || first.outcome == "accepted"), comment)
        continue
      }
      survived += 1
      let again = try #require(try plain.explain(canonical).first)
      #expect(again.outcome == "accepted" && again.canonical == canonical, comment)
      #expect(again.losses == [] && again.value["dialect"]?.text == "v2", comment)
      #expect(plain.unit.batch.unknownNames.isEmpty, comment)
      if first.value["further"] == nil {
        #expect(!changes.isEmpty && Self.routed(plain, names) == changes, comment)
      }
      try Self.expectEachOnce(NaiveJSON(parsing: canonical, maxDepth: 100), comment)
    }
    #expect(survived * 1000 > source.least * 300, "seed \(seed): \(survived)")
  }

  /// Damaged lines have an outcome, too, and their parts add up to what the ledger says.
  @Test(arguments: Effort.first(2, of: Array(0..<8)) as [UInt64], Source.allCases)
  func damagedLinesHaveAnOutcome(seed: UInt64, source: Source) throws {
    var random = RepeatableRandom(seed: seed &+ 77)
    let harness = StageHarness()
    let block = source.lines(400, seed: seed).map { Mutations.mutate(Array($0.utf8), &random) }
      .filter { !$0.contains(0x0A) }
    let explained = try harness.explain(Array(block.joined(separator: [0x0A])), source.rules())
    #expect(explained.count == block.count, "seed \(seed)")
    let outcomes: Set = ["accepted", "partial", "rejected", "blank"]
    #expect(outcomes.isSuperset(of: explained.map(\.outcome)), "seed \(seed)")
    var tally = RunTally(inputs: 1)
    tally.setLines(block.count, of: 0)
    tally.add(harness.unit)
    let ledger = try #require(tally.facts.ledgers.first)
    #expect(ledger.mismatch == nil, "seed \(seed)")
    #expect(ledger.rejectedLines > 0 && ledger.records > 0, "seed \(seed)")
  }

  @Test(arguments: Effort.first(2, of: [3, 30, 300, 3000]) as [UInt64])
  func strictRejectsWhatWouldBeCut(seed: UInt64) throws {
    let (harness, strict) = (StageHarness(), try Source.strict.rules())
    let rules = try Source.foreign.rules()
    let cuts = Set(ReasonCode.allCases.filter(\.isCut).map(\.text))
    var counts = (accepted: 0, rejected: 0)
    for line in Source.foreign.lines(200, seed: seed) {
      let tolerant = try harness.explain(line, rules)
      guard let canonical = tolerant.canonical else { continue }
      let found = try harness.explain(line, strict)
      let cut = cuts.intersection(tolerant.lossCodes).sorted()
      if cut.isEmpty {
        counts.accepted += 1
        #expect(found.canonical == canonical, "seed \(seed): \(line)")
        #expect(found.losses == tolerant.losses, "seed \(seed): \(line)")
      } else {
        counts.rejected += 1
        #expect(found.outcome == "rejected" && found.codes == cut, "seed \(seed): \(line)")
      }
    }
    #expect(counts.accepted > 10 && counts.rejected > 50, "seed \(seed): \(counts)")
  }

  /// Values that are copied as text are the same text as those with an entry for each part, and
  /// lose the same.
  @Test(arguments: Effort.first(4, of: Array(100..<112)) as [UInt64])
  func copiedValuesAreTheSame(seed: UInt64) throws {
    let block = Source.foreign.lines(300, seed: seed).map { $0 + "\n" }.joined()
    let copied = written(block, copies: true)
    let taken = written(block, copies: false)
    #expect(copied.text == taken.text, "seed \(seed)")
    #expect(copied.entries < taken.entries, "seed \(seed): none were copied")
  }

  private func written(_ block: String, copies: Bool) -> (text: String, entries: Int) {
    let harness = StageHarness()
    harness.load(Array(block.utf8))
    var reader = ReaderStage(rules: Rules(), needsValues: !copies)
    var validator = ValidatorStage(rules: Rules())
    var migration = MigrationStage()
    reader.process(harness.unit)
    validator.process(harness.unit)
    migration.process(harness.unit)
    let batch = harness.unit.batch
    var text = ByteBuffer()
    for record in 0..<batch.records.count {
      _ = CanonicalWriter.append(record: record, of: batch, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    for loss in 0..<batch.losses.count {
      text.append(text: "\(batch.losses[loss].code.text) ")
      text.append(batch.losses.path(batch.losses[loss]))
    }
    return (text.view.text, batch.tape.count)
  }

  /// What the batch of `harness` changes, in an order of their own.
  private static func routed(_ harness: StageHarness, _ names: RunNames) -> [String] {
    let router = RouterStage(names: names, sources: [InputSourceID(path: "a")])
    router.process(harness.unit)
    let slice = harness.unit.slices[0]
    return slice.operations.map { operation in
      "\(operation.kind) \(slice.key(operation).text) \(operation.name) \(operation.form) "
        + "\(operation.time) \(operation.id) \(slice.value(operation).text)"
    }.sorted()
  }

  private static func expectEachOnce(_ json: NaiveJSON, _ comment: Comment) throws {
    switch json {
    case .object(let members):
      #expect(Set(members.map { $0.name.lowercased() }).count == members.count, comment)
      for member in members { try expectEachOnce(member.value, comment) }
    case .array(let items): for item in items { try expectEachOnce(item, comment) }
    default: break
    }
  }
}
