import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The list of dialects; `Vectors/detection.jsonl` has which dialect a line is of (dialects 1).
@Suite struct DetectionTests {
  @Test func theRegistry() {
    let readers = DialectRegistry.all
    #expect(Dialect.v2.name == "v2" && Dialect.v1.name == "v1")
    #expect(readers.map { "\($0)".lowercased() } == Dialect.allCases.map { "\($0.name)dialect" })
    for dialect in Dialect.allCases {
      #expect(Dialect(named: dialect.name) == dialect)
    }
    #expect(
      Dialect.identifyingFields == """
        v2 by identifiers; action by action; \
        bolts by userInfo, user_info, extras, notification, action, event_name; \
        pulse by event_type; sdk by params, ts, sDate, date; realm by activity, _id; \
        v1 by update, name, events
        """)
    #expect(Dialect(named: "auto") == nil && Dialect(named: "V1") == nil)
  }

  /// A line that only its own dialect could make something of, with more names than have numbers.
  @Test func fieldsAreSeenAmongMoreNamesThanAreRemembered() throws {
    let many = (0..<3000).map { "\"k\($0)\":0" }.joined(separator: ",")
    let found = try StageHarness().explain(#"{\#(many),"action":["batch.deeplink"]}"#)
    #expect(found.value["dialect"]?.text == "action" && found.outcome == "accepted")
  }
}
