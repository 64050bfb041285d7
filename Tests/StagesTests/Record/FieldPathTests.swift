import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct FieldPathTests {
  private func render(_ path: FieldPath, _ tape: Tape) -> String {
    var text = ByteBuffer()
    path.render(of: tape, into: &text)
    return text.view.text
  }

  @Test func goesInAndOut() {
    withTape(of: #"{"items":[{"price":1}]}"#) { tape, root in
      // root, items, [, {, price
      var path = FieldPath(root: "attributes")
      #expect(render(path, tape) == "attributes")
      path.push(key: root + 1)
      path.push(index: 2)
      path.push(key: root + 4)
      #expect(render(path, tape) == "attributes.items[2].price")
      path.pop()
      #expect(render(path, tape) == "attributes.items[2]")
      path.pop()
      path.push(index: 0)
      #expect(render(path, tape) == "attributes.items[0]")
      path.pop()
      path.pop()
      path.push(index: 11)
      #expect(render(path, tape) == "attributes[11]")
    }
  }

  /// Lines of foreign dialects can be deeper than any path that the limits allow: that made reading
  /// trap.
  @Test func aDeepPathShowsItsBeginning() {
    withTape(of: "{}") { tape, _ in
      var path = FieldPath(root: "x")
      for index in 0..<40 { path.push(index: index) }
      let shown = (0..<16).map { "[\($0)]" }.joined()
      #expect(render(path, tape) == "x" + shown)
      for _ in 0..<39 { path.pop() }
      #expect(render(path, tape) == "x[0]")
    }
  }

  @Test func showsKeysAsTheyAreStored() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"n","time":0,"attributes":{"URL(x)":1,"url(Link)":1,"#
        + #""A":{"date(B)":[],"q\"\u0001":1}}}]}"#)
    #expect(
      line.reasons == [
        "event:0 time time_out_of_range", "event:0 attributes.URL(x) bad_key",
        "event:0 attributes.url(link) wrong_type", "event:0 attributes.a.date(b) wrong_type",
        "event:0 attributes.a.q\"\u{1} bad_key",
      ])
  }

  @Test func aLongNameIsCut() throws {
    let name = String(repeating: "é", count: 61)
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{"\#(name)":1}}"#)
    #expect(line.reasons == ["event:0 attributes.\(name.dropLast())… bad_key"])
  }
}
