import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct SnapshotPublisherConcurrencyTests {
  private static let start = RandomHistory.start

  private static func published(_ steps: [Step], days: Int = 0) throws -> Published {
    var settings = MergeSettings()
    settings.snapshot.dedupeDays = days
    return try MergeRun.publish(steps, settings)
  }

  @Test func idsOlderThanTheWindowAreForgotten() throws {
    let day = 86_400_000
    let steps = [0, 1, 2].map {
      Step(
        kind: .event, key: $0 == 1 ? "" : "custom:u", name: "a", time: Self.start + $0 * day,
        id: "e\($0)")
    }
    for (days, areKept) in [
      (0, [false, false, false]), (1, [false, true, true]), (2, [true, true, true]),
      (.max, [true, true, true]),
    ] {
      let state = try Self.published(steps, days: days).state.joined()
      for (step, isKept) in zip(steps, areKept) {
        var digits = ByteBuffer()
        StateNumber.appendKey(EventID(step.fingerprint, source: .unknown), to: &digits)
        #expect(state.contains(digits.text) == isKept, "\(days) days")
      }
    }
  }

  /// A profile with many attributes and an attribute with many items: quadratic work would not end.
  @Test func adversarialSizesStayLinear() throws {
    var steps: [Step] = []
    for number in 0..<30_000 {
      steps.append(
        Step(kind: .set, key: "custom:u", name: "k\(number)", time: Self.start, value: "1"))
      steps.append(
        Step(
          kind: .addItem, key: "install:i", name: "k", time: Self.start + number,
          value: "\(number)"))
    }
    steps.append(Step(kind: .link, key: "install:i", time: Self.start, value: "u"))
    let published = try Self.published(steps)
    let profiles = published.profiles.joined()
    #expect(profiles.contains("\"k29999\":1"))
    // Of the items 25 are published, and all are kept.
    #expect(published.overflow == 1 && profiles.contains(#""k":["0","1","2","#))
    #expect(profiles.contains(#""23","24"]"#))
    let state = published.state.joined()
    #expect(state.contains(#""29999":1714521629999"#))
    #expect(state.contains(#""k29999":{"set":1,"time":1714521600000}"#))
  }
}
