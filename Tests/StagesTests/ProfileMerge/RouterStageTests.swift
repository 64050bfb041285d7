import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Names of sources, on their way to the shards.
@Suite struct RouterStageTests {
  private let harness = StageHarness()
  private let names = RunNames()
  private let rules: Rules

  init() throws {
    rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"turnstile","match":"/gate","custom_id":"/card",
         "time":{"path":"/at","unit":"ms"},"untimed":true,"lines":[{"name":"/gate"}]}
        """#)
  }

  private func router() -> RouterStage { RouterStage(names: names, sources: [.unknown]) }

  /// The source names that are handed on with a line, or nil if its event is not.
  private func sourceNames(_ text: String, _ router: RouterStage) -> [String]? {
    harness.load(Array(text.utf8))
    harness.work(rules)
    router.process(harness.unit)
    let (slice, events) = (harness.unit.slices[0], names.events.list())
    let found = slice.sourceNames.map { "\(events[$0.name].text) \(slice.text($0).text)" }
    #expect(slice.operations.count <= 1 && (found.isEmpty || !slice.operations.isEmpty))
    return slice.operations.isEmpty ? nil : found
  }

  @Test func sourceNamesAreHandedOnOnce() {
    let router = router()
    for (gate, expected) in [
      ("Main/North", ["main_north Main/North"]), ("Main/North", []),
      // It is the canonical name.
      ("main_north", []), ("Main North", ["main_north Main North"]), ("South", ["south South"]),
    ] { #expect(sourceNames("{\"gate\":\"\(gate)\"}", router) == expected, "\(gate)") }
    // Another lane has met nothing yet.
    #expect(sourceNames(#"{"gate":"South"}"#, self.router()) == ["south South"])
  }

  @Test func longSourceNamesAreCut() {
    let long = String(repeating: "N", count: 255)
    let found = sourceNames("{\"gate\":\"\(long)éé\"}", router())
    #expect(found?.count == 1 && found?[0].hasSuffix(" \(long)") == true)
  }

  /// The source name of an event is counted only if the event is accepted.
  @Test func rejectedEventsHandOnNothing() {
    #expect(sourceNames(#"{"gate":"North","at":"soon"}"#, router()) == nil)
  }
}
