import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// Lines that are read along the plan compared with the full path: the same, only sooner.
@Suite struct PlannedReaderTests {
  /// Rules with limits of times, with dialects, and with options of v1.
  private static let rules = [
    [], [], ["--not-before", "2024-05-01", "--not-after", "2024-05-01T10:23:20Z"],
    ["--since", "2024-05-01", "--until", "2024-05-01T10:23:20Z"], ["--dialect", "v1"],
    ["--v1", "lenient", "--unknown-fields", "reject", "--default-time", "2024-05-01"],
  ]

  @Test(arguments: 0..<6) func plainLinesAreReadAlikeBothWays(number: Int) throws {
    let seed = UInt64((Effort.seed ?? 100) + number)
    var lines = RandomPlainLines(seed: seed)
    var random = RepeatableRandom(seed: seed)
    var rules = try Rules(options: Self.rules[number])
    if rules.v1 == .lenient { rules.maxLine = 300 }
    let both = BothWays(rules)
    // A half of what was wished for, in all six.
    let rounds = Effort.lines.map { $0 / 240 } ?? Effort.rounds(100, of: 3000)
    for _ in 0..<rounds {
      let some = (0..<20).map { _ in
        let line = Array(lines.line().utf8)
        return Int.random(in: 0..<4, using: &random) == 0 ? Mutations.mutate(line, &random) : line
      }
      try both.compare(some)
    }
    #expect(both.plainLines * 8 > both.lines, "seed \(seed): few lines are plain")
  }

  @Test(arguments: [7, 8]) func linesOfAllSortsAreReadAlikeBothWays(number: Int) throws {
    let seed = UInt64((Effort.seed ?? 0) + number)
    var records = RandomPlainLines(seed: seed)
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    var foreign = RandomDialectLines(seed: seed)
    var random = RepeatableRandom(seed: seed)
    let both = BothWays()
    // The other half: a round has more than 34 lines.
    for _ in 0..<(Effort.lines.map { $0 / 136 } ?? Effort.rounds(60, of: 600)) {
      let some = log.lines(8) + (0..<8).map { _ in records.line() } + [foreign.line()]
      let mixed = some.flatMap { [Array($0.utf8), Mutations.mutate(Array($0.utf8), &random)] }
      try both.compare(mixed.shuffled(using: &random))
    }
  }

  /// Every line of real logs: those of `sample-data`, or those of `EVENTMILL_TEST_LOGS`, files and
  /// directories with a line feed between them.
  @Test func logsAreReadAlikeBothWays() throws {
    var options = ReadOptions()
    options.inputs = Effort.logs ?? [SourceFiles.root.appending(path: "sample-data").path]
    let control = JobControl()
    let logs = try InputDiscovery.survey(options, control).inputs
    let source = InputSource(
      logs, maxLine: options.rules.longestLine, keepsGoing: true, hashes: false,
      position: control.position)
    let both = BothWays()
    let unit = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
    while try source.fill(unit) { try both.compare(block: unit.block.bytes.array) }
    #expect(logs.count > 0 && both.lines > 0)
    print("\(both.lines) lines of \(logs.count) logs, \(both.plainLines) of them plain")
  }

  @Test func vectorsAreReadAlikeBothWays() throws {
    for vector in try VectorFiles.ofLines.flatMap({ try VectorFiles.vectors($0.0) })
    where !vector.needsFile { try BothWays(vector.rules).compare([vector.input, vector.input]) }
  }

  /// Blocks of every length around the 64 bytes that are scanned together, and lines that end with
  /// a carriage return.
  @Test func linesAreReadAlikeWhereverTheyStand() throws {
    let both = BothWays()
    let line =
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"open","time":"2024-05-01T10:20:30.123Z","attributes":{"$label":"é","Colour":"red","date(d)":1714521600}}]}"#
    for padding in 0..<130 {
      let filler = "{\"a\":\"\(Sample.text(padding))\"}"
      try both.compare(filler, line, line + "\r", filler, "", " ")
    }
  }

  /// Common statements about profiles are plain: null, changes of arrays, topics, dates
  /// in other forms, user data of v1.
  @Test(arguments: [
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"a":null,"date(d)":null,"$language":null}}"#,
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"a":{"$add":["x","y"],"$remove":["z"]},"b":{"$remove":["x"]}}}"#,
    #"{"identifiers":{"installation_id":"i"},"time":1714521600123,"attributes":{"$topic_preferences":["a","b_2"],"date(d)":1714521600}}"#,
    #"{"identifiers":{"custom_id":"u"},"time":1714521600123,"attributes":{"$topic_preferences":{"$add":["a"],"$remove":["b"]}}}"#,
    #"{"custom_id":"u","time":"2024-05-01T10:20:30","update":{"overwrite":false,"values":{"u.a":"x","ut.b":["c"],"language":"fr","date(u.d)":1714521600,"url(u.e)":"https://a.test/","u.F":null,"ut.g":{"$add":["h"]}}}}"#,
    #"{"installation_id":"i","update":{"values":{"region":"FR","$timezone":"Europe/Paris"}},"user_id":"u","time":1714521600123}"#,
  ])
  func linesAboutProfilesArePlain(line: String) throws {
    let both = BothWays()
    try both.compare(line, line)
    #expect(both.plainLines == 2)
  }

  /// A mapping comes before v1 and v2, so a line that it may describe is not plain as one of these.
  @Test(arguments: [("/type", 2), ("/event_id", 1), ("/attributes/colour", 1), ("/name", 1)])
  func linesBesideAMappingArePlain(path: String, plain: Int) throws {
    let mapping = """
      {"eventmill_mapping":1,"dialect":"shop","match":["\(path)"],
       "lines":[{"custom_id":"/user_id","name":"/name","time":"/time"}]}
      """
    let both = BothWays(try Rules(mappings: mapping))
    try both.compare(
      #"{"user_id":"u","name":"n","time":1714521600123}"#,
      #"{"user_id":"u","name":"n","time":1714521600123,"id":"e","attributes":{"colour":"red"}}"#)
    #expect(both.plainLines == plain)
  }

  /// Two kinds of events, and lines of other effects.
  private static let shop = """
    {"eventmill_mapping":1,"dialect":"shop","match":["/type",{"path":"/v","in":["1",2]}],
     "custom_id":["/user","/data/user"],"installation_id":"/device","id":["/id","/data/id"],
     "duplicate":"id","time":["/at",{"path":"/ms","unit":"ms"}],"drop":["/context","/context/os"],
     "lines":[
      {"when":{"path":"/type","in":"forget"},"as":"ignore","name":"/type"},
      {"when":{"path":"/type","in":"sale"},"name":{"constant":"sale"},"attributes":"/data",
       "fields":{"os":"/context/os","sum":["/sum","/data/sum"]},"constants":{"shop":"a b","n":1.5}},
      {"name":"/type","attributes":"/data","rename":{"size":"fit"},"drop":"/sum"}]}
    """

  private struct ShopLines: RandomChoices {
    var random: RepeatableRandom

    private mutating func value(_ usual: [String]) -> String {
      let odd = [
        "null", "\"\"", "\" x\"", "\"a\\nb\"", "\"q\\\"q\"", "1e3", "-7", "true", "{}", "[]",
        "[\"x\"]", "\"undefined\"", "\"é\"", "{\"a\":{\"b\":1}}", "\"\(Sample.text(301))\"",
        "99999999999999999999", "[{\"a\":1},{\"b_2\":\"y\"}]", "{\"A\":1}", "[1]", "\"\\u00e9\"",
      ]
      return chance(92) ? pick(usual) : pick(odd)
    }

    /// The fields in a random order, each with its chance in percent and its usual values.
    private mutating func object(_ fields: [(Int, String, [String])]) -> String {
      let parts = fields.filter { chance($0.0) }.map { "\"\($0.1)\":\(value($0.2))" }
      return "{\(parts.shuffled(using: &random).joined(separator: ","))}"
    }

    mutating func line() -> String {
      let data = object([
        (90, "colour", [#""red""#, #""dark blue""#, "3", "2.50", "false"]),
        (80, "size", [#""L""#, "12"]), (20, "user", [#""du""#]), (20, "id", [#""d1""#, "17"]),
        (20, "sum", ["5", #""6""#]), (5, "Odd Key", ["1"]), (9, "inner", [#"{"a":1,"B":"x"}"#]),
        (2, "colour", [#""again""#]), (5, "os", ["1"]), (2, "Fit", ["7"]),
        (15, "pageUrl", [#""""#, "null", #""x""#]), (15, "größe", ["1", "null"]),
        (4, "in", [#"{"A":null,"b":"","c":1}"#, #"{"a":1,"b":null}"#, #"{"a":null}"#]),
      ])
      return object([
        (98, "type", [#""sale""#, #""view""#, #""view""#, #""view""#, #""Odd Name""#]),
        (98, "v", [#""1""#, "2"]), (95, "user", [#""u1""#, #""u2""#]), (98, "data", [data]),
        (95, "at", [#""2024-05-01T10:20:30.123Z""#, #""2024-05-01T10:20:30Z""#, "1714559000000"]),
        (95, "id", [#""e1""#, #""e2""#, #""0F8FAD5B-D9CB-469F-A165-70867728950E""#]),
        (30, "device", [#""0f8fad5b-d9cb-469f-a165-70867728950e""#, #""phone""#]),
        (30, "context", [#"{"os":"iOS","page":{"path":[1,"x",null]}}"#, #"{"ip":"1.2.3.4"}"#]),
        (20, "sum", ["12.5"]), (20, "ms", ["1714559000000", #""1714559000000""#]),
        (3, "other", ["1"]), (2, "id", ["1"]), (3, "type", [#""forget""#]),
      ])
    }
  }

  @Test(arguments: [0, 1, 2]) func mappedLinesAreReadAlikeBothWays(number: Int) throws {
    let seed = UInt64((Effort.seed ?? 40) + number)
    var random = RepeatableRandom(seed: seed)
    var (lines, plain) = (ShopLines(random: random), RandomPlainLines(seed: seed))
    var rules = try Rules(mappings: Self.shop)
    if number == 1 { rules.foreign.policy = .strict }
    if number == 2 { rules.unknownFields = .keep }
    let both = BothWays(rules)
    for _ in 0..<(Effort.lines.map { $0 / 120 } ?? Effort.rounds(100, of: 1500)) {
      let some = (0..<20).map { index in
        let line = Array((index % 5 == 4 ? plain.line() : lines.line()).utf8)
        return Int.random(in: 0..<6, using: &random) == 0 ? Mutations.mutate(line, &random) : line
      }
      try both.compare(some.filter { !$0.contains(0x0A) })
    }
    #expect(both.mappedLines * 12 > both.lines, "seed \(seed): few lines are plain")
  }

  /// Attributes that were decoded were appended to the texts that they are part of.
  @Test func decodedAttributesAreCopied() throws {
    let mapping =
      #"{"eventmill_mapping":1,"dialect":"shop","match":["/ev"],"lines":[{"name":"/ev","custom_id":"/uid","time":"/ts","attributes":"/p","installation_id":"/p/dev","constants":{"c":1}}]}"#
    let both = BothWays(try Rules(mappings: mapping))
    let line =
      #"{"ev":"open","uid":"u1","ts":1714521600123,"p":{"a":"some text","dev":"d1","b":1}}"#
    try both.compare(Array(repeating: Array(line.utf8), count: 3000))
    #expect(both.mappedLines > 2900)
  }

  /// The places of attributes are made before a plan is full.
  @Test(arguments: [1, 28, 30, 32, 34, 63]) func plansOfManyKindsAreBounded(kinds: Int) throws {
    let others = (0..<kinds).map { #"{"when":{"path":"/ev","in":"e\#($0)"},"name":"/ev"},"# }
    let mapping = """
      {"eventmill_mapping":1,"dialect":"shop","match":["/ev"],"custom_id":"/uid","time":"/ts",
       "lines":[\(others.joined()){"name":"/ev","attributes":"/p"}]}
      """
    let line = #"{"ev":"open","uid":"u1","ts":1714521600123,"p":{"a":1}}"#
    try BothWays(Rules(mappings: mapping)).compare(Array(repeating: Array(line.utf8), count: 40))
  }

  /// A name with an escape was learnt as it is written, and the scanner took it for a good one.
  @Test func namesWithEscapesAreNotLearnt() throws {
    let both = BothWays()
    let line = #"{"custom_id":"u","na\qme":"x","name":"n","time":1714521600123}"#
    for _ in 0..<3 { try both.compare(line, line, line) }
  }
}
