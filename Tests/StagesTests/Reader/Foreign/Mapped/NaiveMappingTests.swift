import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Random lines under random mappings: what becomes of them is what the guide says, as
/// ``NaiveMapping`` reads it, and the same along the plan.
@Suite struct NaiveMappingTests {
  @Test(arguments: Effort.first(2, of: Array(0..<24)) as [UInt64])
  func mappingsAreReadAsTheGuideSays(seed: UInt64) throws {
    var mappings = RandomMappings(seed: seed, isRight: true)
    var lines = GameLines(seed: seed)
    let (harness, plain) = (StageHarness(), StageHarness())
    var attributes: [String: NaiveForeignField] = [:]
    func attribute(_ name: String, _ value: NaiveJSON) -> NaiveForeignField {
      let key = "\(name) \(value.compact())"
      let known = attributes[key] ?? Self.attribute(name, value, plain)
      attributes[key] = known
      return known
    }
    var (compared, planned) = (0, 0)
    for _ in 0..<Effort.rounds(60, of: 250) {
      let text = mappings.mapping()
      guard let rules = try? Rules(mappings: text) else { continue }
      let naive = NaiveMapping(mapping: try NaiveJSON(parsing: text), foreign: attribute)
      let both = BothWays(rules)
      let names = Set(text.split { !$0.isLetter }.map(String.init))
      var some = try (0..<3).map { _ in try NaiveJSON(parsing: lines.line()).cleaned() }
      some += try (0..<3).map { _ in try NaiveJSON(parsing: lines.plainLine()).cleaned(names) }
      for line in some {
        let source = "seed \(seed): \(line.compact()) under \(text)"
        let expected = try #require(naive.read(line), "\(source)")
        let found = try Self.outcome(of: harness.explain(line.compact(), rules), like: expected)
        #expect(found == expected, "\(source)")
      }
      let bytes = some.map { Array($0.compact().utf8) }
      for _ in 0..<2 { try both.compare(bytes) }
      (compared, planned) = (compared + some.count, planned + both.mappedLines)
    }
    print("seed \(seed): \(compared) compared, \(planned) planned")
    #expect(compared > 100 && planned > 0, "seed \(seed)")
  }

  /// What `explain` shows, as far as the naive reading knows it.
  private static func outcome(
    of found: StageHarness.Explained, like expected: NaiveMapping.Outcome
  ) -> NaiveMapping.Outcome {
    let codes = found.reasons.map { String($0.split(separator: " ").last ?? "") }
    let losses = found.value.each("losses").compactMap { loss -> String? in
      let path = loss["path"]?.text ?? ""
      let isKnown = expected.items.map { items in
        let isOfEvent = path.hasPrefix("events[") && !path.hasSuffix("].time")
        return isOfEvent && !path.hasSuffix("].profile") || items.contains(where: path.isBelow)
      }
      return isKnown ?? true ? "\(loss["code"]?.text ?? "") \(path)" : nil
    }
    let records = found.value.each("canonical") + found.value.each("further")
    return NaiveMapping.Outcome(
      records: records.map { $0.compact() }, reasons: codes.sorted(),
      losses: (expected.items == nil ? losses : Array(Set(losses))).sorted(),
      items: expected.items)
  }

  /// What the field becomes in the arguments of a `bolts` event: the rules of all foreign dialects.
  private static func attribute(
    _ name: String, _ value: NaiveJSON, _ harness: StageHarness
  ) -> NaiveForeignField {
    let line = NaiveJSON.record([
      ("event_name", .string("e")), ("event_args", .record([(name, value)])),
    ])
    guard let found = try? harness.explain(line.compact()) else { return NaiveForeignField() }
    var field = NaiveForeignField()
    if case .object(let fields) = found.value["canonical"]?["events"]?[0]?["attributes"] {
      (field.key, field.value) = (fields[0].name, fields[0].value)
    }
    for loss in found.value.each("losses") {
      let path = loss["path"]?.text ?? ""
      if path.hasPrefix("event_args.") {
        field.losses.append((loss["code"]?.text ?? "", String(path.dropFirst(11 + name.count))))
      }
    }
    return field
  }
}

extension NaiveJSON {
  /// This value without fields that a later one repeats; with `names`, only with fields of them.
  fileprivate func cleaned(_ names: Set<String>? = nil) -> NaiveJSON {
    switch self {
    case .object(let fields):
      .object(
        fields.enumerated().filter { index, field in
          !fields[(index + 1)...].contains { $0.name == field.name }
            && names?.contains(field.name) ?? true
        }.map { .init(name: $1.name, value: $1.value.cleaned()) })
    case .array(let items): .array(items.map { $0.cleaned() })
    default: self
    }
  }
}
