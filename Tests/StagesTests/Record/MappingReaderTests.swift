import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// The limits of mappings. What is said of mistakes in them is in the transcript mapping-mistakes.
@Suite struct MappingReaderTests {
  private func mistake(in text: String) -> MappingFault? {
    var mappings = Mappings()
    return Self.mistake(in: text, among: &mappings)
  }

  private static func mistake(in text: String, among mappings: inout Mappings) -> MappingFault? {
    let bytes = ByteBuffer(text: text)
    do throws(MappingFault) {
      try mappings.add(bytes.view)
      return nil
    } catch {
      return error
    }
  }

  /// A limit of mappings: the greatest size, part of what is reported of a larger one, and what a
  /// mapping of a size has.
  struct Limit: CustomTestStringConvertible, Sendable {
    typealias Part = @Sendable (Int) -> String

    let most: Int
    let why: String
    var dialect: Part = { _ in "sizes" }
    var match: Part = { _ in #""/a""# }
    var kind: Part = { _ in "" }
    var drop: Part = { _ in "" }
    var kinds: @Sendable (Int) -> Int = { _ in 1 }
    var testDescription: String { "\(most) \(why)" }

    // Three steps are those of the other paths: for detection, of the kind, and of both.
    static let steps = Limit(
      most: (Mappings.mostSteps - 3) / 10, why: "steps",
      drop: { list($0) { #""/\#($0 % 40)/\#($0 / 40)/0/1/2/3/4/5/6/7""# } })

    static let all = [
      Limit(most: Mappings.mostKinds, why: "kinds of lines", kinds: { $0 }),
      Limit(
        most: Mappings.mostValues, why: "values",
        match: { #"{"path":"/a","in":[\#(list($0) { "\($0)" })]}"# }),
      steps,
      // /a, /u and the paths to drop count for each kind.
      Limit(
        most: (Mappings.mostSteps - 1) / 50 - 2, why: "steps", drop: { list($0) { #""/\#($0)""# } },
        kinds: { _ in 50 }),
      // Four steps each, and three of what holds for the item beside all others.
      Limit(
        most: (Mappings.mostSteps - 7) / 7, why: "steps",
        drop: { #""/l/*/a/b",\#(list(min($0, 1_900)) { #""/l/\#($0)/a/b""# })"# }),
      Limit(
        most: MappedWords.most - 2, why: "different fields", drop: { list($0) { #""/\#($0)""# } }),
      Limit(
        most: MappedWords.most - 2, why: "different fields",
        kind: { #","rename":{\#(list($0) { #""\#($0)":"b""# })}"# }),
      Limit(
        most: MappedPaths.longest, why: "steps",
        drop: { #""\#(String(repeating: "/a", count: $0))""# }),
      Limit(
        most: Limits.v2.attributes, why: "attributes",
        kind: { #","constants":{\#(list($0) { #""c\#($0)":1"# })}"# }),
      Limit(
        most: Characters.longestName, why: "is not a key",
        kind: { #","constants":{"\#(Sample.text($0))":1}"# }),
      Limit(
        most: Dialect.longestMappedName, why: "cannot have this name",
        dialect: { Sample.text($0) }),
    ]

    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
      (0..<count).map(item).joined(separator: ",")
    }

    func mapping(_ size: Int) -> String {
      let kinds = Self.list(kinds(size)) { _ in #"{"name":{"constant":"n"}\#(kind(size))}"# }
      return #"""
        {"eventmill_mapping":1,"dialect":"\#(dialect(size))","match":\#(match(size)),
         "custom_id":"/u","drop":[\#(drop(size))],"lines":[\#(kinds)]}
        """#
    }
  }

  /// At a limit a mapping reads lines; beyond it is refused with line and path. Nothing traps.
  @Test(arguments: Limit.all)
  func sizesAtTheLimits(_ limit: Limit) throws {
    let rules = try Rules(mappings: limit.mapping(limit.most))
    let found = try StageHarness().explain(#"{"a":1,"u":"u"}"#, rules)
    #expect(found.outcome == "accepted", "\(found.source)")
    for size in [limit.most + 1, limit.most * 2, limit.most * 9] {
      let fault = try #require(mistake(in: limit.mapping(size)), "\(limit) \(size)")
      #expect(fault.why.contains(limit.why), "\(fault)")
      #expect(fault.line != nil && fault.pointer.hasPrefix("/") && !fault.advice.isEmpty)
    }
  }

  /// Conditions of other kinds count only where they add a step: the paths of a kind go into the
  /// object of their field.
  @Test func conditionsOfOtherKindsHardlyCount() throws {
    func mapping(_ depth: Int, _ kind: String) -> String {
      let path = String(repeating: "/o", count: depth)
      let kinds = (0..<Mappings.mostKinds).map { number in
        #"{"when":"\#(path)/c\#(number)","name":{"constant":"n"}\#(kind)}"#
      }
      return #"""
        {"eventmill_mapping":1,"dialect":"sizes","match":"/a","custom_id":"/u",
         "lines":[\#(kinds.joined(separator: ","))]}
        """#
    }
    let rules = try Rules(mappings: mapping(3, ""))
    let found = try StageHarness().explain(#"{"a":1,"u":"u","o":{"o":{"o":{"c9":1}}}}"#, rules)
    #expect(found.outcome == "accepted" && found.losses == ["time missing_time"])
    let own = (0..<100).map { "\"/p\($0)\"" }.joined(separator: ",")
    #expect(mistake(in: mapping(1, #","drop":[\#(own)]"#))?.why.contains("steps") == true)
  }

  /// The limits hold for all mappings of a run together, which are numbered together.
  @Test func mappingsTogetherReachALimit() throws {
    // A process remembers names of dialects, so those of other tests serve.
    let names = BuiltInMapping.allCases.map(\.rawValue).prefix(Mappings.most)
    try #require(names.count == Mappings.most)
    var mappings = Mappings()
    func add(_ name: String, _ size: Int) -> MappingFault? {
      let text = Limit.steps.mapping(size).replacing("sizes", with: name)
      return Self.mistake(in: text, among: &mappings)
    }
    for name in names[..<11] { #expect(add(name, 90) == nil, "\(name)") }
    #expect(add("three", 90)?.why.contains("steps") == true)
    for name in names[11...] { #expect(add(name, 1) == nil, "\(name)") }
    #expect(add("three", 1)?.why.contains("more than \(Mappings.most) mappings") == true)
    #expect(mappings.all.map(\.dialect.name) == Array(names))
  }
}
