import TestSupport
import Testing

@testable import Stages

/// Nothing vanishes: each value of a random line under a random mapping is in the record, or a loss
/// names it, or the mapping says that it does not count. Found out by a walk over the line that
/// knows paths and nothing else.
@Suite struct MappedPropertyTests {
  /// A value that stands nowhere else in its line, and where: names and, for items, numbers.
  private struct Mark {
    let text: String
    let steps: [String]

    /// Where it is as losses write it.
    var path: String {
      steps.reduce("") { path, step in
        step.first == "[" ? path + step : path.isEmpty ? step : "\(path).\(step)"
      }
    }

    /// Whether the mapping names it, or what it is in, by one of the paths: `*` is any item.
    func isBelow(_ paths: [String], wholly: Bool) -> Bool {
      paths.contains { path in
        let wanted = path.split(separator: "/")
        guard wholly ? wanted.count == steps.count : wanted.count <= steps.count else {
          return false
        }
        return zip(wanted, steps).allSatisfy { $0 == "*" ? $1.first == "[" : $0 == $1 }
      }
    }
  }

  private struct Lines: RandomChoices {
    var random: RepeatableRandom
    private var marks: [Mark] = []

    init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

    private static let names = ["a", "b", "c", "A", "d e", "///", "p", "l", "é"]

    /// A line and its values; those of `fixed` fields have none.
    mutating func line(_ fixed: String) -> (text: String, marks: [Mark]) {
      marks = []
      let fields = self.fields([], 0, among: Self.names)
      return ("{\(([fixed] + fields).joined(separator: ","))}", marks)
    }

    private mutating func fields(_ steps: [String], _ depth: Int, among names: [String]) -> [String]
    {
      names.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)).map { name in
        "\"\(name)\":\(value(steps + [name], depth))"
      }
    }

    private mutating func value(_ steps: [String], _ depth: Int) -> String {
      guard depth < 4, chance(depth == 0 ? 80 : 40) else {
        if chance(15) { return pick(["null", "\"\"", "[]", "{}"]) }
        let text = "\(pick([70_000, 80_000]) + marks.count)"
        marks.append(Mark(text: text, steps: steps))
        return chance(50) ? text : "\"\(text)\""
      }
      if chance(40) {
        let items = (0..<Int.random(in: 0...4, using: &random)).map {
          value(steps + ["[\($0)]"], depth + 1)
        }
        return "[\(items.joined(separator: ","))]"
      }
      let names = chance(30) ? ["k", "v", "w"] : Self.names
      return "{\(fields(steps, depth + 1, among: names).joined(separator: ","))}"
    }

    /// A kind of lines, and the paths at which values need not count: those below that are dropped
    /// or come after another one, and keys of pairs whose value says nothing.
    mutating func kind() -> (text: String, alternatives: [String], keys: [String]) {
      var alternatives: [String] = []
      var keys: [String] = []
      var objects = ["", "/a", "/b", "/a/b", "/c/*", "/A", "/b/c"].shuffled(using: &random)
        .prefix(Int.random(in: 0...3, using: &random)).map { "\"\($0)\"" }
      if chance(40) {
        objects.append(#"{"path":"/p","key":"/k","value":["/v","/w"]}"#)
        keys = ["/p/*/k", "/p/*/v"]
        alternatives.append("/p/*/w")
      }
      var parts = [#""attributes":[\#(objects.joined(separator: ","))]"#]
      if chance(50) {
        parts.append(#""fields":{"x":"/b/a","y":"/c/*/b","a":"/l/c"}"#)
        alternatives.append("/c/*/b")
      }
      if chance(30) {
        // Of another type they are losses.
        let type = pick(["number", "text", "bool"])
        parts.append(#""constants":{"q":1}"#)
        if !parts.joined().contains("fields") {
          parts.append(#""fields":{"z":{"path":"/b/é","type":"\#(type)"},"zz":"/b/é"}"#)
        }
      }
      if chance(30) { parts.append(#""rename":{"a":"b","d e":"r"}"#) }
      if chance(30) {
        parts.append(#""drop":["/c/b","/A/a"]"#)
        alternatives += ["/c/b", "/A/a"]
      }
      if chance(25) {
        parts.removeAll { $0.hasPrefix("\"constants\"") }
        parts.append(#""as":"identify""#)
        return (parts.joined(separator: ","), alternatives, keys)
      }
      parts.append(#""name":[{"join":["/é","/é"]},{"constant":"e"}]"#)
      if chance(30), !parts.joined().contains("\"/A\"") {
        parts.append(#""profile":{"attributes":"/A","fields":{"m":"/d e"}}"#)
      }
      if chance(30), !parts.joined().contains("/l/c") {
        parts.append(#""unroll":"/l""#)
        let object = pick(["/l/*/b", "/l/*"])
        parts[0] = parts[0].replacing("\"attributes\":[", with: "\"attributes\":[\"\(object)\",")
          .replacing(",]", with: "]")
      }
      return (parts.joined(separator: ","), alternatives, keys)
    }
  }

  @Test(
    arguments: Effort.first(4, of: Array(0..<40)) as [UInt64], [UnknownFieldPolicy.drop, .keep])
  func everyValueIsKeptOrLost(seed: UInt64, policy: UnknownFieldPolicy) throws {
    var lines = Lines(seed: seed)
    let harness = StageHarness()
    var checked = 0
    for _ in 0..<25 {
      let kind = lines.kind()
      var rules = try Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u",
           "time":"/t","lines":{\#(kind.text)}}
          """#)
      rules.unknownFields = policy
      for _ in 0..<25 {
        let (line, marks) = lines.line(#""u":"u","t":1714641300000"#)
        let found = try harness.explain(line, rules)
        guard found.reasons.isEmpty else { continue }
        let record = String(decoding: found.canonical ?? [], as: UTF8.self)
        let losses = found.losses.compactMap { loss in loss.split(separator: " ").dropLast() }
          .map { $0.joined(separator: " ") }
        let isList = kind.text.contains("unroll")
        for mark in marks where !record.contains(mark.text) {
          if mark.isBelow(kind.alternatives, wholly: false) { continue }
          if mark.isBelow(kind.keys, wholly: true) { continue }
          var path = mark.path
          if isList, path.hasPrefix("l[") { path = "events" + path.dropFirst() }
          let isLost = losses.contains {
            path == $0 || path.hasPrefix("\($0).") || path.hasPrefix("\($0)[")
              // The event as a whole has too many.
              || $0.isEmpty || $0.hasSuffix(".")
          }
          #expect(isLost, "seed \(seed): \(path) of \(line) under \(kind.text): \(found.source)")
        }
        checked += marks.count
      }
    }
    #expect(checked > 200, "seed \(seed)")
  }
}
