@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Takes bytes through reader, validator and migration as a lane of a run does, one unit for all.
final class StageHarness {
  let unit = WorkUnit(blockSize: 1 << 10, shards: 1)
  private var mappings = Mappings()

  /// What `eventmill explain` says of one line.
  struct Explained {
    /// The text of the whole object.
    let source: SourceJSON
    let value: NaiveJSON

    init(_ line: [UInt8]) throws {
      source = SourceJSON(line)
      value = try NaiveJSON(parsing: line, maxDepth: 200)
    }

    var outcome: String { value["outcome"]?.text ?? "" }
    /// The canonical record, byte for byte.
    var canonical: [UInt8]? { source["canonical"]?.bytes }
    var canonicalText: String { String(decoding: canonical ?? [], as: UTF8.self) }

    /// All reasons, of the line, its events and its operations, as `SCOPE:INDEX PATH CODE`.
    var reasons: [String] {
      let all = [("line", [value]), ("event", value.each("events"))]
      return (all + [("operation", value.each("operations"))]).flatMap { scope, parts in
        parts.enumerated().flatMap { index, part in
          Self.entries("reasons", of: part).map { "\(scope):\(index) \($0)" }
        }
      }
    }
    /// All losses and remarks, as `PATH CODE`.
    var losses: [String] { Self.entries("losses", of: value) }
    var remarks: [String] { Self.entries("remarks", of: value) }

    var codes: [String] { Self.codes(of: reasons) }
    var lossCodes: [String] { Self.codes(of: losses) }

    private static func entries(_ list: String, of part: NaiveJSON) -> [String] {
      part.each(list).map { "\($0["path"]?.text ?? "?") \($0["code"]?.text ?? "?")" }
    }

    /// The codes of these entries, each once, sorted.
    static func codes(of entries: [String]) -> [String] {
      Set(entries.map { String($0.split(separator: " ").last ?? "") }).sorted()
    }
  }

  /// Puts `bytes` into the unit's block as the block reader does: whole lines, the last one ended,
  /// readable bytes behind.
  func load(_ bytes: [UInt8], firstLine: Int = 1, offset: Int = 0) {
    let block = unit.block
    block.content.removeAll()
    block.content.append(contentsOf: bytes)
    if let last = bytes.last, last != 0x0A { block.content.append(0x0A) }
    block.seal()
    block.firstLine = firstLine
    block.offset = offset
    block.overlong = nil
  }

  func work(_ rules: Rules = Rules(), listsBlank: Bool = true) {
    mappings = rules.mappings
    var reader = ReaderStage(rules: rules, listsBlank: listsBlank, needsValues: listsBlank)
    var validator = ValidatorStage(rules: rules)
    var migration = MigrationStage()
    reader.process(unit)
    validator.process(unit)
    migration.process(unit)
  }

  /// Explains every line that was loaded and worked on.
  func explain() throws -> [Explained] {
    var stage = ExplainStage(mappings: mappings)
    stage.process(unit)
    let lines = unit.text.view.array.split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(lines.last?.isEmpty == true, "the last line is ended")
    return try lines.dropLast().map { try Explained(Array($0)) }
  }

  func explain(_ bytes: [UInt8], _ rules: Rules = Rules()) throws -> [Explained] {
    load(bytes)
    work(rules)
    return try explain()
  }

  func explain(_ text: String, _ rules: Rules = Rules()) throws -> Explained {
    let lines = try explain(Array(text.utf8), rules)
    #expect(lines.count == 1)
    return try #require(lines.first)
  }

  /// The reject entries of what was worked on.
  func rejects(source: String = "a.ndjson") throws -> [NaiveJSON] {
    var stage = QuarantineStage(sources: [source])
    stage.process(unit)
    return try unit.rejects.text().split(separator: 0x0A).map {
      try NaiveJSON(parsing: Array($0), maxDepth: 200)
    }
  }
}

extension RejectEntries {
  func text() throws -> [UInt8] {
    var text: [UInt8] = []
    try forEachPiece { piece throws(Failure) in text += piece.array }
    return text
  }
}

extension FieldTally {
  /// The names by bytes, with their counts.
  var named: [(name: String, count: Int)] {
    var fields: [(name: String, count: Int)] = []
    for position in 0..<count {
      let field = field(position)
      fields.append((field.name.text, field.count))
    }
    return fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

extension RecordBatch {
  /// The names of the unknown fields that were met, by bytes, with their counts.
  var unknownNames: [(name: String, count: Int)] {
    var tally = FieldTally()
    for index in 0..<unread.count where unread[index].code == .unknownField {
      tally.add(tape.bytes(at: unread[index].site.key))
    }
    return tally.named
  }
}

extension Rules {
  /// The rules with the v1 policy of the SDKs.
  static var lenient: Rules {
    var rules = Rules()
    rules.v1 = .lenient
    return rules
  }

  /// The rules that `options` of a vector stand for, and its `mappings`: their texts, or names of
  /// fixtures.
  init(options: [String], mappings texts: [[UInt8]] = []) throws {
    self.init()
    for text in texts {
      let text = text == Array(#""game""#.utf8) ? Array(MappingFixture.game.utf8) : text
      try withByteView(of: text) { try mappings.add($0) }
    }
    var rest = options[...]
    while let option = rest.popFirst() {
      if option == "--repair" {
        foreign.repairs = true
        continue
      }
      let value = rest.popFirst()
      try set(option, try #require(value, "\(option) has no value"))
    }
  }

  mutating func set(_ option: String, _ value: String) throws {
    switch option {
    case "--v1": v1 = try #require(V1Policy(rawValue: value))
    case "--mapping":
      let mapping = try #require(BuiltInMapping(rawValue: value))
      var text = ByteBuffer()
      text.append(contentsOf: mapping.text)
      try mappings.add(text.view)
    case "--dialect": dialect = Dialect(named: value) ?? Dialect(mapped: value)
    case "--foreign": foreign.policy = try #require(ForeignPolicy(rawValue: value))
    case "--identity-keys": foreign.identityKeys = try #require(IdentityKeys(value))
    case "--nobody": placeholders = value == "none" ? .fewest : Placeholders(added: [value])
    case "--unknown-fields": unknownFields = try #require(UnknownFieldPolicy(rawValue: value))
    case "--default-time": defaultTime = try Rules.time(value)
    case "--not-before": notBefore = try Rules.time(value)
    case "--not-after": notAfter = try Rules.time(value)
    case "--since": since = try Rules.time(value)
    case "--until": until = try Rules.time(value)
    case "--realm-objects": foreign.realmObjects = try #require(RealmObjects(rawValue: value))
    case "--max-line":
      maxLine = try #require(Int(value))
      raisesMaxLine = false
    default: Issue.record("a vector has the unknown option \(option)")
    }
  }

  private static func time(_ text: String) throws -> Int {
    let text = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    let time = withByteView(of: text) { Timestamp.parse($0) }
    return try #require(time)
  }
}
