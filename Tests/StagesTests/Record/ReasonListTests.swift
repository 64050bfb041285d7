import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ReasonListTests {
  @Test func writesJSON() throws {
    var list = ReasonList()
    list.add(.badName, at: "name")
    list.add(.labelTooLong, at: "a\"b", limit: 200, actual: 240)
    list.add(.invalidJSON, at: "", actual: 7, detail: "a comma or }")
    var text = ByteBuffer()
    list.append(ReasonRange(start: 1, count: 2), to: &text)
    #expect(
      text.view.text
        == #"[{"code":"label_too_long","path":"a\"b","limit":200,"actual":240,"message":"#
        + #""a\"b has 240 characters; the limit is 200"},{"code":"invalid_json","path":"","actual":7,"#
        + #""message":"the line is not valid JSON at byte 7; expected a comma or }"}]"#)
    text.removeAll()
    list.append(ReasonRange(start: 3, count: 0), to: &text)
    #expect(text.view.text == "[]")
  }

  /// Lines of foreign dialects can be deeper than any path that the limits allow: that made reading
  /// trap.
  @Test func aDeepPathShowsItsBeginning() {
    withTape(of: "{}") { tape, _ in
      func render(_ path: FieldPath) -> String {
        var text = ByteBuffer()
        path.render(of: tape, into: &text)
        return text.view.text
      }
      var path = FieldPath(root: "x")
      for index in 0..<40 { path.push(index: index) }
      let shown = (0..<16).map { "[\($0)]" }.joined()
      #expect(render(path) == "x" + shown)
      for _ in 0..<39 { path.pop() }
      #expect(render(path) == "x[0]")
    }
  }
}
