@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Why a profile has its values, compared with a ranking of its own of what `explain` makes of the
/// same lines.
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

  @Test(arguments: Effort.first(5, of: Night.all))
  func winnersAreThoseOfANaiveRanking(_ night: Night) throws {
    let fixture = try RunFixture()
    let logs = ["a.ndjson", "b.ndjson"]
    for (number, log) in logs.enumerated() {
      try fixture.log(night.lines(120, of: number), log)
    }
    try fixture.run(["a.ndjson"], to: "1") { $0.snapshot.stitch = night.stitch }
    try fixture.run(["b.ndjson"], to: "2", after: "1") { options in
      options.snapshot.partitions = 2
      options.snapshot.stitch = night.stitch
    }
    let naive = try NaiveStatements(logs.map { fixture.scratch($0) })
    let output = fixture.scratch("2")
    let control = JobControl()
    var lookup = try ProfileLookup(output, control: control)
    let questions = PersonQuestions(
      output, logs: logs.map { fixture.scratch($0) }, jobs: 2, control: control)
    let silent = PersonQuestions(output, logs: [], jobs: 1, control: control)
    for line in try fixture.lines(of: "profiles", in: "2") {
      let prefix = line["kind"]?.text == "person" ? "custom:" : "install:"
      let key = prefix + (line["id"]?.text ?? "")
      for case .profile(let profile, nil) in try lookup.find(key)
      where profile["kind"]?.text == line["kind"]?.text {
        let answer = try questions.why(profile, installation: nil, in: &lookup)
        naive.check(answer, line)
        // Without logs, the winners come from the state.
        let short = try silent.why(profile, installation: nil, in: &lookup)
        #expect(Self.won(short.attributes) == Self.won(answer.attributes))
        #expect(Self.won(short.fields) == Self.won(answer.fields))
        let own = answer.links.filter { answer.keys.contains($0.name) }
        #expect(Self.won(short.links) == Self.won(own))
      }
    }
  }

  /// What won in each register that has a winner, without its source.
  private static func won(_ registers: [WhyAnswer.Register]) -> [Set<String>] {
    registers.map { register in
      Set(
        register.statements.filter { $0.outcome == .won }
          .map { "\(register.name) \($0.kind) \($0.time ?? -1) \($0.value ?? "")" })
    }.filter { !$0.isEmpty }
  }
}

/// What lines state about keys, as `explain` shows them, ranked by independent code.
private struct NaiveStatements {
  struct Statement {
    let key: String
    let kind: String
    var name = ""
    var form = 0
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
    try JobControl().explain(options) { piece in
      text.withLock { $0 += piece.text }
    }
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
    for (event, value) in zip(source["events"]?.items ?? [], record["events"]?.items ?? []) {
      let time = value["time"]?.text ?? ""
      if !time.isEmpty { times.append(time) }
      all.append(
        Statement(
          key: owner, kind: "event", name: value["name"]?.text ?? "", time: time,
          value: event["attributes"]?.bytes ?? [], line: line))
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
      let form = name.hasPrefix("date(") ? 1 : name.hasPrefix("url(") ? 2 : 0
      let inner = form == 0 ? name : String(name.dropLast().split(separator: "(")[1])
      func add(_ kind: String, _ value: [UInt8], form: Int = 0) {
        all.append(
          Statement(
            key: key, kind: kind, name: inner, form: form, time: time, value: value, line: line))
      }
      switch object[name] {
      case .null?: add("unset", [])
      case .object?:
        for (word, kind) in [("$add", "add"), ("$remove", "remove")] {
          for item in object[name]?[word]?.items ?? [] {
            add(kind, Array((item.text ?? "").utf8))
          }
        }
      default: add("set", raw[name]?.bytes ?? [], form: form)
      }
    }
  }

  // MARK: - Ranking

  /// Whether `a` is before `b` by time, then rank of the kind, then bytes.
  private static func less(_ a: Statement, _ b: Statement, _ rank: [String] = []) -> Bool {
    if a.time != b.time { return a.time < b.time }
    let (left, right) = (rank.firstIndex(of: a.kind) ?? 0, rank.firstIndex(of: b.kind) ?? 0)
    if left != right { return left < right }
    if a.value != b.value { return a.value.lexicographicallyPrecedes(b.value) }
    return a.form > b.form
  }

  private func marks(of key: String) -> String? {
    all.filter { $0.key == key && $0.kind == "erase" }.map(\.time).max()
  }

  /// What is left of the keys after their erase marks.
  private func alive(_ keys: [String]) -> [Statement] {
    keys.flatMap { key -> [Statement] in
      let own = all.filter { $0.key == key }
      guard let mark = marks(of: key) else { return own }
      return own.filter { statement in
        switch statement.kind {
        case "erase": true
        case "event":
          // One without a time goes with any mark, and takes no others with it.
          !statement.time.isEmpty
            && !own.contains {
              $0.kind == "event" && $0.name == statement.name && !$0.time.isEmpty
                && $0.time <= mark
            }
        case "set" where statement.name == "opted_out": true
        default: statement.time > mark
        }
      }
    }
  }

  /// Compares an answer about the published `profile` with what wins here.
  func check(_ answer: WhyAnswer, _ profile: NaiveJSON) {
    let keys = answer.keys
    let left = alive(keys)
    #expect(
      keys.first == (profile["kind"]?.text == "person" ? "custom:" : "install:")
        + (profile["id"]?.text ?? ""))
    let clear = left.filter { $0.kind == "clear" }.map(\.time).max() ?? ""
    for register in answer.attributes {
      let inner =
        register.name.hasSuffix(")")
        ? String(register.name.dropLast().split(separator: "(")[1]) : register.name
      let own = left.filter {
        $0.name == inner && ["set", "unset", "add", "remove"].contains($0.kind) && $0.time >= clear
      }
      expect(attribute: register, own)
      #expect(value(register.published) == profile["attributes"]?[register.name])
    }
    for register in answer.events {
      let own = left.filter { $0.kind == "event" && $0.name == register.name }
      expect(register, own.max { Self.less($0, $1) })
      #expect(value(register.published) == profile["events"]?[register.name])
    }
    let elsewhere = answer.links.filter { !answer.keys.contains($0.name) }
    for register in answer.links where answer.keys.contains(register.name) {
      expect(register, link(of: register.name))
    }
    expect(elsewhere: elsewhere, of: answer.keys[0])
    for register in answer.fields {
      let of = register.statements.map(\.key)
      let own = left.filter {
        $0.kind == "set" && $0.name == register.name
          && (register.name == "location" || of.contains($0.key))
      }
      expect(register, own.max { Self.less($0, $1) })
    }
    expectSites(answer, without: elsewhere)
  }

  /// The link that counts of an installation.
  private func link(of key: String) -> Statement? {
    let links = all.filter { $0.key == key && $0.kind == "link" }
    let mark = marks(of: key)
    let left = links.filter { link in mark.map { link.time > $0 } ?? true }
    return left.count < links.count
      ? left.max { Self.less($0, $1) } : left.min { Self.less($0, $1) }
  }

  /// Checks that the lines that link other installations to the person are listed, and who has
  /// these installations.
  private func expect(elsewhere registers: [WhyAnswer.Register], of key: String) {
    guard key.hasPrefix("custom:") else { return #expect(registers.isEmpty) }
    let id = Array(key.dropFirst(7).utf8)
    let names = Set(registers.map(\.name))
    let links = all.filter { $0.kind == "link" && $0.value == id }
    for link in links where names.contains(link.key) {
      let listed = registers.first { $0.name == link.key }?.statements ?? []
      #expect(listed.contains { $0.site?.shown == link.line }, "\(link.key)")
    }
    for register in registers {
      let winner = link(of: register.name)
      let won = register.statements.filter { $0.outcome == .won }
      #expect(won.count == (winner == nil ? 0 : 1), "\(register.name)")
      #expect(
        value(register.published)?.text == winner.map { String(decoding: $0.value, as: UTF8.self) },
        "\(register.name)")
    }
  }

  private func expect(attribute register: WhyAnswer.Register, _ own: [Statement]) {
    let rank = ["unset", "set"]
    let base = own.filter { rank.contains($0.kind) }.max { Self.less($0, $1, rank) }
    let items = Dictionary(
      grouping: own.filter { !rank.contains($0.kind) && $0.time >= base?.time ?? "" },
      by: { $0.value }
    ).compactMap { $0.value.max { Self.less($0, $1, ["add", "remove"]) } }
    let isArray = base?.value.first == UInt8(ascii: "[")
    let isReplaced = base?.kind == "set" && !isArray && items.contains { $0.kind == "add" }
    let won = register.statements.filter { $0.outcome == .won }
    expect(won.filter { rank.contains($0.kind) }, isReplaced ? nil : base, register.name)
    let marks = won.filter { !rank.contains($0.kind) }
    #expect(marks.count == items.count, "\(register.name)")
    for item in items {
      let text = String(decoding: item.value, as: UTF8.self)
      expect(marks.filter { value($0.value)?.text == text }, item, register.name)
    }
  }

  private func expect(_ register: WhyAnswer.Register, _ winner: Statement?) {
    expect(register.statements.filter { $0.outcome == .won }, winner, register.name)
  }

  /// Checks that `winner` won, and that its line is named.
  private func expect(_ won: [WhyAnswer.Judged], _ winner: Statement?, _ name: String) {
    #expect(won.count == (winner == nil ? 0 : 1), "\(name)")
    guard let winner, let first = won.first else { return }
    #expect(first.time.map { Timestamp.text($0) } ?? "" == winner.time, "\(name)")
    #expect(first.kind == winner.kind, "\(name)")
    let text = String(decoding: winner.value, as: UTF8.self)
    switch winner.kind {
    case "add", "remove", "link": #expect(value(first.value)?.text == text, "\(name)")
    default: #expect(first.value ?? "" == text, "\(name)")
    }
    let same = all.filter {
      $0.kind == winner.kind && $0.name == winner.name && $0.time == winner.time
        && $0.value == winner.value
    }
    #expect(same.contains { $0.line == first.site?.shown && $0.key == first.key }, "\(name)")
  }

  /// Checks that every statement of a log is listed, and that the output uses all of them.
  private func expectSites(_ answer: WhyAnswer, without elsewhere: [WhyAnswer.Register]) {
    let others = Set(elsewhere.map(\.name))
    let links = answer.links.filter { !others.contains($0.name) }
    let registers = answer.attributes + answer.events + links + answer.fields
    let listed = (registers.flatMap(\.statements) + answer.marks)
    #expect(listed.allSatisfy { $0.outcome != .unknown && $0.site != nil })
    let lines = all.filter { answer.keys.contains($0.key) }.map {
      "\($0.key) \($0.kind) \($0.line)"
    }
    #expect(
      listed.map { "\($0.key) \($0.kind) \($0.site?.shown ?? "")" }.sorted() == lines.sorted())
  }

  private func value(_ json: String?) -> NaiveJSON? { json.flatMap { try? NaiveJSON(parsing: $0) } }
}

extension LogSite {
  fileprivate var shown: String { "\(source):\(line)" }
}
