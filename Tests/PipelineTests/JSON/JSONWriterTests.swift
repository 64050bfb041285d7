import Testing

@testable import Pipeline

@Suite struct JSONWriterTests {
  private func write(
    _ layout: JSONWriter.Layout, _ body: (inout JSONWriter) throws -> Void
  ) rethrows -> String {
    var json = JSONWriter(layout)
    try body(&json)
    let buffer = json.finish()
    return buffer.view.text
  }

  private func sample(_ json: inout JSONWriter) {
    json.object { json in
      json.member("name", "ad_seen")
      json.member("count", 3)
      json.member("share", 0.5)
      json.member("ok", true)
      json.member("missing", String?.none)
      json.member("present", Int?.some(-1))
      json.object("empty") { _ in }
      json.array("none") { _ in }
      json.array("list") { json in
        json.item(1)
        json.array { json in json.item("x" as ByteView) }
        json.object { json in json.member("a \"key\"", false) }
      }
      json.object("v1") { json in json.member("raw", JSONText("1.50")) }
    }
    json.endLine()
  }

  @Test func compact() {
    #expect(
      write(.compact, sample)
        == #"{"name":"ad_seen","count":3,"share":0.5,"ok":true,"missing":null,"present":-1,"#
        + #""empty":{},"none":[],"list":[1,["x"],{"a \"key\"":false}],"v1":{"raw":1.50}}"# + "\n")
  }

  @Test func pretty() {
    #expect(
      write(.pretty, sample) == """
        {
          "name": "ad_seen",
          "count": 3,
          "share": 0.5,
          "ok": true,
          "missing": null,
          "present": -1,
          "empty": {},
          "none": [],
          "list": [
            1,
            [
              "x"
            ],
            {
              "a \\"key\\"": false
            }
          ],
          "v1": {
            "raw": 1.50
          }
        }

        """)
  }

  @Test func linesFollowEachOtherInABuffer() {
    let before = ByteBuffer(text: "before ")
    var json = JSONWriter(.compact, to: before)
    json.object { $0.member("a", 1) }
    json.endLine()
    json.item(2)
    json.endLine()
    json.array { _ in }
    #expect(json.bytes == "before {\"a\":1}\n2\n[]")
    let buffer = json.finish()
    #expect(buffer.view == "before {\"a\":1}\n2\n[]")
  }

  @Test func wrongCallsTrap() async {
    // A field outside of an object, an item in one, and two values in a line.
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.array { json in json.member("a", 1) }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.object { json in json.item(1) }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.item(1)
      json.item(2)
    }
  }

  @Test func membersOfLists() {
    let text = JSONWriter.document { json in
      json.array("names", of: ["a", "b"])
      json.object("counts", of: [NamedCount("a", 1), NamedCount("a", 2)])
      json.objects("lines", of: 1...2) { line, json in json.member("line", line) }
      json.objects("none", of: [Int]()) { _, _ in }
    }
    #expect(
      text.view.text
        == #"{"names":["a","b"],"counts":{"a":1,"a":2},"lines":[{"line":1},{"line":2}],"#
        + #""none":[]}"# + "\n")
  }
}
