import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// The walk compared with the full path: it must report the same, only sooner.
@Suite struct LineWalkTests {
  /// Processes the same lines both ways, and compares everything that later stages receive.
  private final class BothWays {
    private let names = RunNames()
    private let walked = WorkUnit(blockSize: 1 << 10, shards: 2)
    private let scanned = WorkUnit(blockSize: 1 << 10, shards: 2)
    private var walker: ReaderStage
    private var stages: [((any Stage<WorkUnit>)?, any Stage<WorkUnit>)]
    /// Lines that were walked, and all lines.
    private(set) var walkedLines = 0
    private(set) var lines = 0

    init(_ rules: Rules = Rules()) {
      let router = { [names] in
        RouterStage(names: names, sources: [InputSourceID(path: "a")])
      }
      walker = ReaderStage(rules: rules)
      stages = [
        (nil, ReaderStage(rules: rules, walks: false)),
        (ValidatorStage(rules: rules), ValidatorStage(rules: rules)),
        (MigrationStage(), MigrationStage()), (CanonicalTextStage(), CanonicalTextStage()),
        (router(), router()),
        (QuarantineStage(sources: ["a"]), QuarantineStage(sources: ["a"])),
      ]
    }

    /// Compares what becomes of `block`, whole lines.
    func compare(_ block: [UInt8]) throws {
      for unit in [walked, scanned] {
        unit.block.content.removeAll()
        unit.block.content.append(contentsOf: block)
      }
      walker.unindexed = 0
      walker.process(walked)
      for index in stages.indices {
        stages[index].0?.process(walked)
        stages[index].1.process(scanned)
      }
      let (a, b) = (walked.batch, scanned.batch)
      lines += a.lineCount
      walkedLines += a.records.count { $0.isSettled }
      try #require(a.lines.count == b.lines.count && a.blankLines == b.blankLines)
      let differs = a.lines.indices.first { index in
        let (one, two) = (a.lines[index], b.lines[index])
        return one.start != two.start || one.length != two.length || one.number != two.number
          || one.outcome != two.outcome || one.dialect != two.dialect
          || one.isCompact != two.isCompact || one.repairs != two.repairs
      }
      #expect(differs == nil)
      #expect(walked.text.view == scanned.text.view, "\(walked.text.view.text)")
      #expect(try rejects(walked) == rejects(scanned))
      #expect(losses(a) == losses(b))
      #expect(remarks(a) == remarks(b))
      for (one, two) in zip(walked.slices, scanned.slices) { expectSame(one, two) }
      let counted = { (batch: RecordBatch) in
        [
          batch.records.count, batch.events.count, batch.events.count { $0.isAccepted },
          batch.operations.count, batch.operations.count { $0.isApplied },
        ]
      }
      #expect(counted(a) == counted(b))
    }

    private func expectSame(_ one: RoutedSlice, _ two: RoutedSlice) {
      let count = one.operations.count
      let differs =
        count != two.operations.count
        ? 0
        : (0..<count).first { index in
          let (a, b) = (one.operations[index], two.operations[index])
          return a.kind != b.kind || a.time != b.time || a.name != b.name || a.form != b.form
            || a.dialect != b.dialect || a.id != b.id || a.keyHash != b.keyHash
            || one.key(a) != two.key(b) || one.value(a) != two.value(b)
        }
      #expect(differs == nil, "operation of \(count) and \(two.operations.count)")
    }

    private func rejects(_ unit: WorkUnit) throws -> String {
      var text: [UInt8] = []
      try unit.rejects.forEachPiece { piece throws(Failure) in text += piece.array }
      return String(decoding: text, as: UTF8.self)
    }

    private func losses(_ batch: RecordBatch) -> [String] {
      (0..<batch.losses.count).map { "\(batch.losses[$0].code) \(batch.line(ofLoss: $0))" }
    }

    private func remarks(_ batch: RecordBatch) -> [String] {
      (0..<batch.remarks.count).map {
        "\(batch.line(ofRemark: $0)) \(batch.remarks.path(batch.remarks[$0]).text)"
      }
    }
  }

  private static func block(_ lines: [[UInt8]]) -> [UInt8] {
    // The walk skips the last lines of a block, so another line follows all others.
    lines.flatMap { $0 + [0x0A] } + Array("{\"a\":\"\(String(repeating: "a", count: 40))\"}\n".utf8)
  }

  /// Rules with limits of times, with dialects, and with options of v1.
  private static let rules: [Rules] = {
    var windowed = Rules()
    (windowed.notBefore, windowed.notAfter) = (1_714_521_600_000, 1_714_559_000_000)
    var selected = Rules()
    (selected.since, selected.until) = (1_714_521_600_000, 1_714_559_000_000)
    var fixed = Rules()
    fixed.dialect = .v1
    var strange = Rules()
    strange.v1 = .lenient
    strange.unknownFields = .reject
    strange.maxLine = 300
    strange.defaultTime = 1_714_521_600_000
    return [Rules(), Rules(), windowed, selected, fixed, strange]
  }()

  @Test(arguments: 0..<6) func plainLinesAreReadAlikeBothWays(number: Int) throws {
    let seed = UInt64((Effort.seed ?? 100) + number)
    var lines = RandomPlainLines(seed: seed)
    var random = RepeatableRandom(seed: seed)
    let both = BothWays(Self.rules[number])
    // A half of what was wished for, in all six.
    let rounds = Effort.lines.map { $0 / 240 } ?? Effort.rounds(100, of: 3000)
    for _ in 0..<rounds {
      let some = (0..<20).map { _ in
        let line = Array(lines.line().utf8)
        return Int.random(in: 0..<4, using: &random) == 0 ? Mutations.mutate(line, &random) : line
      }
      try both.compare(Self.block(some))
    }
    #expect(both.walkedLines * 8 > both.lines, "seed \(seed): few lines are walked")
  }

  @Test(arguments: [7, 8]) func linesOfAllSortsAreReadAlikeBothWays(number: Int) throws {
    let seed = UInt64((Effort.seed ?? 0) + number)
    var records = RandomRecords(seed: seed)
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    var foreign = RandomDialectLines(seed: seed)
    var random = RepeatableRandom(seed: seed)
    let both = BothWays()
    // The other half: a round has more than 34 lines.
    for _ in 0..<(Effort.lines.map { $0 / 136 } ?? Effort.rounds(60, of: 600)) {
      let some = log.lines(8) + (0..<8).map { _ in records.line() } + [foreign.line()]
      let mixed = some.flatMap { [Array($0.utf8), Mutations.mutate(Array($0.utf8), &random)] }
      try both.compare(Self.block(mixed.shuffled(using: &random)))
    }
  }

  /// Every line of real logs: those of `sample-data`, or those of `EVENTMILL_TEST_LOGS`, files and
  /// directories with a line feed between them.
  @Test func logsAreReadAlikeBothWays() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
    var options = ReadOptions()
    options.inputs =
      Effort.logs ?? [sources.appending(path: "../../../sample-data").standardizedFileURL.path]
    let control = JobControl()
    let logs = try InputDiscovery.survey(options, control).inputs
    let source = InputSource(
      logs, maxLine: options.rules.longestLine, keepsGoing: true, hashes: false,
      position: control.position)
    let both = BothWays()
    let unit = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
    while try source.fill(unit) { try both.compare(unit.block.bytes.array) }
    #expect(logs.count > 0 && both.lines > 0)
    print("\(both.lines) lines of \(logs.count) logs, \(both.walkedLines) of them walked")
  }

  @Test func vectorsAreReadAlikeBothWays() throws {
    for vector in try VectorFiles.ofLines.flatMap({ try VectorFiles.lines($0.0) })
      .map(LineVector.init) where !vector.needsFile
    { try BothWays(vector.rules).compare(Self.block([vector.input, vector.input])) }
  }

  /// Blocks of every length around the 64 bytes that are scanned together, and lines that end with
  /// a carriage return.
  @Test func linesAreReadAlikeWhereverTheyStand() throws {
    let both = BothWays()
    let line =
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"open","time":"2024-05-01T10:20:30.123Z","attributes":{"$label":"é","Colour":"red","date(d)":1714521600}}]}"#
    for padding in 0..<130 {
      let filler = Array("{\"a\":\"\(String(repeating: "x", count: padding))\"}".utf8)
      let ended = Array(line.utf8) + [0x0D]
      try both.compare(Self.block([filler, Array(line.utf8), ended, filler, [], [0x20]]))
    }
  }

  /// Common statements about profiles take the short path: null, changes of arrays, topics, dates
  /// in other forms, user data of v1.
  @Test(arguments: [
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"a":null,"date(d)":null,"$language":null}}"#,
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"a":{"$add":["x","y"],"$remove":["z"]},"b":{"$remove":["x"]}}}"#,
    #"{"identifiers":{"installation_id":"i"},"time":1714521600123,"attributes":{"$topic_preferences":["a","b_2"],"date(d)":1714521600}}"#,
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"$topic_preferences":{"$add":["a"],"$remove":["b"]}}}"#,
    #"{"custom_id":"u","time":"2024-05-01T10:20:30","update":{"overwrite":false,"values":{"u.a":"x","ut.b":["c"],"language":"fr","date(u.d)":1714521600,"url(u.e)":"https://a.test/","u.F":null,"ut.g":{"$add":["h"]}}}}"#,
    #"{"installation_id":"i","update":{"values":{"region":"FR","$timezone":"Europe/Paris"}},"user_id":"u","time":1714521600123}"#,
  ])
  func linesAboutProfilesAreWalked(line: String) throws {
    let both = BothWays()
    try both.compare(Self.block([Array(line.utf8), Array(line.utf8)]))
    #expect(both.walkedLines == 2)
  }

  /// A name with an escape was learnt as it is written, and the scanner took it for a good one.
  @Test func namesWithEscapesAreNotLearnt() throws {
    let both = BothWays()
    let line = Array(#"{"custom_id":"u","na\qme":"x","name":"n","time":1714521600123}"#.utf8)
    for _ in 0..<3 { try both.compare(Self.block([line, line, line])) }
  }
}
