@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Why a profile has its values: what won makes the published values, is what the state has, and
/// is in the lines that are named, as `explain` shows them.
@Suite struct WhyTests {
  struct Night: CustomTestStringConvertible, Sendable {
    let seed: UInt64
    let kind: String
    let stitch: Stitch
    var testDescription: String { "seed \(seed), \(kind), \(stitch)" }

    static let all: [Night] = (UInt64(1)..<30).map { seed in
      Night(
        seed: seed, kind: seed % 3 == 2 ? "sdk" : "mixed", stitch: seed % 4 == 0 ? .none : .first)
    }

    func lines(_ count: Int, of log: Int) -> [String] {
      if kind == "sdk" {
        var random = RandomDialectLines(seed: seed * 10 + UInt64(log))
        return (0..<count).map { _ in random.line() }
      }
      var random = RandomLog(seed: seed * 10 + UInt64(log), tellsPrivacy: true)
      return random.lines(count)
    }
  }

  @Test func aProfileIsFoundWhoseStateHasOtherNamesThanTheTotals() throws {
    let output = try ForgedOutput()
    try output.change(RunFiles.totals) { lines in
      lines = lines.map { $0.replacing("seen", with: "sean") }
    }
    let lookup = try ProfileLookup(output.path, control: JobControl())
    #expect(try lookup.find("user-0")?.profile != nil)
    #expect(throws: Failure.self) { try Published.state(of: output.path) }
  }

  @Test(arguments: Effort.first(5, of: Night.all))
  func winnersMakeTheProfile(_ night: Night) throws {
    let fixture = try RunFixture()
    let logs = ["a.ndjson", "b.ndjson"]
    for (number, log) in logs.enumerated() { try fixture.log(night.lines(120, of: number), log) }
    try fixture.run(["a.ndjson"], to: "1") { $0.snapshot.stitch = night.stitch }
    try fixture.run(["b.ndjson"], to: "2", after: "1") { options in
      options.snapshot.partitions = 2
      options.snapshot.stitch = night.stitch
    }
    let lines = try LoggedStatements(logs.map { fixture.scratch($0) })
    let (output, control) = (fixture.scratch("2"), JobControl())
    let lookup = try ProfileLookup(output, control: control)
    let questions = PersonQuestions(lookup, logs: logs.map { fixture.scratch($0) }, jobs: 2)
    let silent = PersonQuestions(lookup, logs: [], jobs: 1)
    for line in try fixture.lines(of: "profiles", in: "2") {
      let found = try lookup.find(LoggedStatements.key(of: line))
      if let profile = found?.profile, found?.installation == nil {
        let answer = try questions.why(profile, installation: nil)
        lines.check(answer, line, night.stitch)
        // Without logs, the winners come from the state.
        let short = try silent.why(profile, installation: nil)
        let own = answer.links.filter { answer.keys.contains($0.name) }
        for (one, other) in [
          (short.attributes, answer.attributes), (short.events, answer.events),
          (short.fields, answer.fields), (short.links, own),
        ] { #expect(Self.won(one) == Self.won(other)) }
      }
    }
  }

  /// What won in each register that has a winner, without its source.
  private static func won(_ registers: [WhyAnswer.Register]) -> [Set<String>] {
    registers.map { register in
      Set(register.won.map { "\(register.name) \($0.kind) \($0.time ?? -1) \($0.value ?? "")" })
    }.filter { !$0.isEmpty }
  }
}

/// What lines state about keys, as `explain` shows them.
private struct LoggedStatements {
  struct Statement {
    let key: String
    let kind: String
    var name = ""
    /// In the format of outputs, which sorts by time; empty without a time.
    let time: String
    var value: [UInt8] = []
    let line: String
  }

  private var all: [Statement] = []

  init(_ logs: [String]) throws {
    var options = ReadOptions()
    options.inputs = logs
    let text = Locked("")
    try JobControl().explain(options) { piece in text.withLock { $0 += piece.text } }
    for line in text.withLock({ $0 }).split(separator: "\n") {
      let source = SourceJSON(Array(line.utf8))
      let parsed = try NaiveJSON(parsing: String(line))
      guard let record = source["canonical"], let canonical = parsed["canonical"] else { continue }
      take(record, canonical, "\(parsed["source"]?.text ?? ""):\(parsed["line"]?.integer ?? 0)")
    }
  }

  private mutating func take(_ source: SourceJSON, _ record: NaiveJSON, _ line: String) {
    let person = record["identifiers"]?["custom_id"]?.text.map { "custom:\($0)" }
    let phone = record["identifiers"]?["installation_id"]?.text.map { "install:\($0)" }
    guard let owner = person ?? phone else { return }
    let time = record["time"]?.text ?? ""
    var times: [String] = []
    func add(_ key: String, _ kind: String, _ name: String = "", _ value: [UInt8] = []) {
      all.append(Statement(key: key, kind: kind, name: name, time: time, value: value, line: line))
    }
    if record["overwrite"] == .bool(true) { add(owner, "clear") }
    takeAttributes("attributes", source, record, owner, time, line)
    if let phone { takeAttributes("installation_attributes", source, record, phone, time, line) }
    if let place = source["location"] { add(owner, "set", "location", place.bytes) }
    if let phone {
      if let word = source["opted_out"] { add(phone, "set", "opted_out", word.bytes) }
      if record["erase"] == .bool(true) { add(phone, "erase") }
    }
    let erasesPerson = record["erase"]?.text == "person"
    if let person, erasesPerson { add(person, "erase") }
    // The erasure of a person does not state who owns the installation.
    let others = ["overwrite", "attributes", "installation_attributes", "location", "opted_out"]
    if !time.isEmpty, !erasesPerson || others.contains(where: { record[$0] != nil }) {
      times.append(time)
    }
    for (event, value) in zip(source["events"]?.items ?? [], record.each("events")) {
      let (name, time) = (value["name"]?.text ?? "", value["time"]?.text ?? "")
      if !time.isEmpty { times.append(time) }
      let attributes = event["attributes"]?.bytes ?? []
      all.append(
        Statement(
          key: owner, kind: "event", name: name, time: time, value: attributes, line: line))
    }
    guard person != nil, let phone, let first = times.min(), let last = times.max() else { return }
    let id = Array((record["identifiers"]?["custom_id"]?.text ?? "").utf8)
    for time in Set([first, last]) {
      all.append(Statement(key: phone, kind: "link", time: time, value: id, line: line))
    }
  }

  private mutating func takeAttributes(
    _ field: String, _ source: SourceJSON, _ record: NaiveJSON, _ key: String, _ time: String,
    _ line: String
  ) {
    guard let object = record[field], let raw = source[field] else { return }
    for name in object.names {
      func add(_ kind: String, _ value: [UInt8]) {
        all.append(
          Statement(
            key: key, kind: kind, name: Self.inner(name), time: time, value: value, line: line))
      }
      switch object[name] {
      case .null?: add("unset", [])
      case .object?:
        for (word, kind) in [("$add", "add"), ("$remove", "remove")] {
          for item in object[name]?.each(word) ?? [] { add(kind, Array((item.text ?? "").utf8)) }
        }
      default: add("set", raw[name]?.bytes ?? [])
      }
    }
  }

  /// The name without the type that `date(…)` or `url(…)` gives the value.
  private static func inner(_ name: String) -> String {
    name.hasSuffix(")") ? String(name.dropLast().split(separator: "(")[1]) : name
  }

  // MARK: - Checks

  static func key(of profile: NaiveJSON) -> String {
    (profile["kind"]?.text == "person" ? "custom:" : "install:") + (profile["id"]?.text ?? "")
  }

  /// Compares an answer about the published `profile` with it, and with the lines.
  func check(_ answer: WhyAnswer, _ profile: NaiveJSON, _ stitch: Stitch) {
    #expect(answer.keys.first == Self.key(of: profile))
    for register in answer.attributes {
      let published = profile["attributes"]?[register.name]
      #expect(Self.value(register.published) == published)
      expect(published, from: register)
      expectLines(of: register, named: Self.inner(register.name))
    }
    for register in answer.events {
      let published = profile["events"]?[register.name]
      #expect(Self.value(register.published) == published)
      #expect(register.won.count == (published == nil ? 0 : 1), "\(register.name)")
      expectLines(of: register, named: register.name)
    }
    for register in answer.fields {
      #expect(register.won.count <= 1, "\(register.name)")
      expectLines(of: register, named: register.name)
    }
    for register in answer.links {
      let owner = owner(of: register.name)
      #expect(register.won.map(\.value) == (owner == nil ? [] : [owner]), "\(register.name)")
      #expect(register.published == (stitch == .first ? owner : nil), "\(register.name)")
      // Lines that link an installation to another person are not listed.
      if answer.keys.contains(register.name) { expectLines(of: register, named: "") }
    }
    for register in answer.attributes + answer.events + answer.fields + answer.links {
      expectOrder(of: register, isLink: answer.links.contains { $0.name == register.name })
    }
    expectSites(answer)
  }

  /// Winners come first, and of one outcome the latest; of links perhaps the earliest.
  private func expectOrder(of register: WhyAnswer.Register, isLink: Bool) {
    let outcomes = WhyAnswer.Judged.Outcome.allCases
    let ranks = register.statements.map { outcomes.firstIndex(of: $0.outcome) ?? -1 }
    #expect(ranks == ranks.sorted(), "\(register.name)")
    for outcome in outcomes {
      let times = register.statements.filter { $0.outcome == outcome }.map { $0.time ?? .max }
      #expect(
        times == times.sorted(by: >) || isLink && times == times.sorted(), "\(register.name)")
    }
  }

  /// What won of an attribute must make its published value.
  private func expect(_ published: NaiveJSON?, from register: WhyAnswer.Register) {
    let bases = register.won.filter { ["set", "unset"].contains($0.kind) }
    #expect(bases.count <= 1, "\(register.name)")
    func items(_ kind: String) -> Set<String> {
      Set(register.won.filter { $0.kind == kind }.compactMap { Self.value($0.value)?.text })
    }
    let base = bases.first.flatMap { Self.value($0.value) }
    guard case .array(let old)? = base ?? .array([]) else {
      return #expect(published == base && items("add").isEmpty, "\(register.name)")
    }
    let made = Set(old.compactMap(\.text)).subtracting(items("remove")).union(items("add"))
    #expect(Set((published?.items ?? []).compactMap(\.text)) == made, "\(register.name)")
  }

  /// The person whose link to the installation counts, as JSON: the earliest link, or after an
  /// erasure the latest of those left.
  private func owner(of key: String) -> String? {
    func less(_ a: Statement, _ b: Statement) -> Bool {
      a.time != b.time ? a.time < b.time : a.value.lexicographicallyPrecedes(b.value)
    }
    let links = all.filter { $0.key == key && $0.kind == "link" }
    let mark = all.filter { $0.key == key && $0.kind == "erase" }.map(\.time).max() ?? ""
    let left = links.filter { $0.time > mark }
    let link = left.count < links.count ? left.max(by: less) : left.min(by: less)
    return link.map { NaiveJSON.string(String(decoding: $0.value, as: UTF8.self)).compact() }
  }

  /// A line must have what won, and be named.
  private func expectLines(of register: WhyAnswer.Register, named name: String) {
    for won in register.won {
      let isItem = ["add", "remove", "link"].contains(won.kind)
      let value = (isItem ? Self.value(won.value)?.text : won.value) ?? ""
      let same = all.filter {
        $0.kind == won.kind && $0.name == name && $0.value == Array(value.utf8)
          && $0.time == won.time.map { Timestamp.text($0) } ?? ""
      }
      #expect(
        same.contains { $0.line == won.site?.shown && $0.key == won.key }, "\(register.name)")
    }
  }

  /// Checks that every statement of a log is listed, that the output uses all of them, and that the
  /// lines that link other installations to the person are listed.
  private func expectSites(_ answer: WhyAnswer) {
    let links = answer.links.filter { answer.keys.contains($0.name) }
    let registers = answer.attributes + answer.events + links + answer.fields
    let listed = registers.flatMap(\.statements) + answer.marks
    #expect(listed.allSatisfy { $0.outcome != .unknown && $0.site != nil })
    let lines = all.filter { answer.keys.contains($0.key) }
      .map { "\($0.key) \($0.kind) \($0.line)" }
    #expect(
      listed.map { "\($0.key) \($0.kind) \($0.site?.shown ?? "")" }.sorted() == lines.sorted())
    let id = answer.keys[0].hasPrefix("custom:") ? Array(answer.keys[0].utf8.dropFirst(7)) : nil
    let elsewhere = answer.links.filter { !answer.keys.contains($0.name) }
    #expect(id != nil || elsewhere.isEmpty)
    for link in all where link.kind == "link" && link.value == id {
      let listed = answer.links.first { $0.name == link.key }?.statements ?? []
      #expect(listed.contains { $0.site?.shown == link.line }, "\(link.key)")
    }
  }

  private static func value(_ json: String?) -> NaiveJSON? {
    json.flatMap { try? NaiveJSON(parsing: $0) }
  }
}

extension WhyAnswer.Register {
  fileprivate var won: [WhyAnswer.Judged] { statements.filter { $0.outcome == .won } }
}

extension LogSite {
  fileprivate var shown: String { "\(source):\(line)" }
}
