import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What a text instead of a time looks like; `Vectors/examples.jsonl` has messages about mistakes
/// of unit and form (`mistake-…`).
@Suite struct LikelyMistakeTests {
  /// A time followed by a space once crashed the program: a scan of a text must not read past its
  /// end.
  @Test func textsThatEndAnywhere() throws {
    var count = 0
    for vector in try VectorFiles.vectors("examples.jsonl")
    where vector.id.hasPrefix("mistake-a-text-that-is-no-time-") {
      guard let text = try NaiveJSON(parsing: vector.input)["time"]?.text else { continue }
      for length in 0...text.utf8.count {
        for end in ["", " ", "Z", "+", "-", ".", ",", ":", "0", "T", "é", ". ", " +", ".0 "] {
          withByteView(of: text.utf8.prefix(length) + Array(end.utf8)) { view in
            count += LikelyMistake.time(view) == nil ? 0 : 1
          }
        }
      }
    }
    #expect(count > 1000, "most of them look like something")
  }
}
