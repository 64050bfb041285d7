import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct SnapshotPublisherConcurrencyTests {
  private static let start = RandomHistory.start

  private static func published(
    _ steps: [Step], _ change: (inout SnapshotOptions) -> Void = { _ in }
  ) throws -> Published {
    var options = SnapshotOptions()
    change(&options)
    let run = try MergeRun(options: options)
    try run.apply(steps)
    return try run.publish()
  }

  @Test func idsOlderThanTheWindowAreForgotten() throws {
    let day = 86_400_000
    let steps = [0, 1, 2].map {
      Step(
        kind: .event, key: $0 == 1 ? "" : "custom:u", name: "a", time: Self.start + $0 * day,
        id: "e\($0)")
    }
    let ids = { (days: Int) throws -> [Bool] in
      let state = try Self.published(steps) { $0.dedupeDays = days }.state.joined()
      return steps.map { step in
        var digits = ByteBuffer()
        StateNumber.appendKey(EventID(step.fingerprint, source: .unknown), to: &digits)
        return state.contains(digits.view.text)
      }
    }
    #expect(try ids(0) == [false, false, false])
    #expect(try ids(1) == [false, true, true])
    #expect(try ids(2) == [true, true, true])
    #expect(try ids(.max) == [true, true, true])
  }

  @Test func whatIsForgottenIsNotWritten() throws {
    let steps = [
      Step(kind: .set, key: "custom:u", name: "old", time: Self.start, value: "1"),
      Step(kind: .addItem, key: "custom:u", name: "old", time: Self.start, value: "x"),
      Step(kind: .addItem, key: "custom:u", name: "k", time: Self.start + 1, value: "x"),
      Step(kind: .set, key: "custom:u", name: "k", time: Self.start + 2, value: "[\"a\"]"),
      Step(kind: .clear, key: "custom:u", time: Self.start + 1),
    ]
    let state = try Self.published(steps).state.joined()
    #expect(state.contains(#""attributes":{"k":{"set":["a"],"time":1714521600002}},"#))
  }

  @Test func thirtyItemsArePublishedAsTwentyFive() throws {
    let steps = (10..<40).map {
      Step(kind: .addItem, key: "custom:u", name: "k", time: Self.start, value: "\($0)")
    }
    let published = try Self.published(steps)
    #expect(published.overflow == 1)
    #expect(published.profiles.joined().contains(#""33","34"]"#))
    #expect(published.state.joined().contains(#""39":1714521600000"#))
  }

  @Test func keysAreSortedByBytesBeyondTheirFirstWords() throws {
    var random = RepeatableRandom(seed: 5)
    let letters = ["a", "b", "\u{0}", "é", "\u{FFFD}", "\u{10000}"]
    let keys = Set(
      (0..<300).map { _ in
        let length = Int.random(in: 1...20, using: &random)
        let text = (0..<length).map { _ in letters.randomElement(using: &random) ?? "a" }.joined()
        return ["custom:", "install:"][Int(random.next() % 2)] + text
      })
    let state = try Self.published(keys.map { Step(kind: .touch, key: $0) }).state.joined()
    let names = state.split(separator: "\n").map { line in
      String(line.dropFirst(8).dropLast(17)).replacing("\\u0000", with: "\u{0}")
    }
    #expect(names == keys.sorted(by: less))
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
    #expect(published.overflow == 1)
    #expect(published.profiles.joined().contains("\"k29999\":1"))
  }
}
