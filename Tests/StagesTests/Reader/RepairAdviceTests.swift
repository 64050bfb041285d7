import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What the reason of a line that is not JSON or not UTF-8 says about several objects in it
/// (data-model 2); what it says about repairs is in the vectors.
@Suite struct RepairAdviceTests {
  @Test func manyBeginningsOfObjects() throws {
    for piece in [#"}{"a":1,"#, #"}{"a":""#, "}{{", #""}{"a":""#] {
      for start in ["", "{{"] {
        let line = start + String(repeating: piece, count: 10_000)
        let found = try StageHarness().explain(line)
        let message = try #require(found.value["reasons"]?[0]?["message"]?.text, "\(found.source)")
        #expect(!message.contains("the line has two objects"), "\(start)\(piece)")
      }
    }
  }
}
