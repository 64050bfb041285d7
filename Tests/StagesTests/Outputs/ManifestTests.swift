@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct ManifestTests {
  @Test func whatARunWroteIsReadBack() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a"), ""], "1.ndjson")
    try fixture.log([Sample.event("u", "b")], "2.ndjson")
    try fixture.run(["1.ndjson"], to: "one")
    try fixture.run(["2.ndjson"], to: "two", after: "one") { $0.snapshot.dedupeDays = 3 }
    let one = try Manifest(fixture.scratch("one"), doing: "reading")
    let two = try Manifest(fixture.scratch("two"), doing: "reading")
    let log = try fixture.scratch.bytes("1.ndjson")
    #expect(one.inputs.map(\.facts.xxh64) == [withByteView(of: log) { XXH64.hash($0) }])
    #expect(one.inputs.map(\.lines) == [2] && one.inputs.map(\.isLost) == [false])
    let state = one.files.filter { $0.path.hasPrefix("state/") && !$0.path.contains("index") }
    #expect(state.map(\.path) == [RunFiles.part(0, of: 1, in: RunFiles.state), RunFiles.totals])
    #expect(one.previousState.isEmpty && two.previousState == state.map(\.xxh64))
    #expect(two.options["dedupe_days"]?.int == 3 && two.options["v1"]?.text == "strict")
  }

  @Test(arguments: [
    "", "{", "[]", "{\"eventmill_output\":8}", #"{"eventmill_output":8,"inputs":[]}"#,
    #"{"eventmill_output":8,"inputs":[{}],"outputs":[]}"#,
    #"{"eventmill_output":8,"inputs":[],"outputs":[{"path":"a","bytes":-1,"lines":0,"xxh64":"0000000000000000"}]}"#,
    #"{"eventmill_output":8,"inputs":[],"outputs":[{"path":"a","bytes":1,"lines":0,"xxh64":"00"}]}"#,
    #"{"eventmill_output":8,"previous_state":[1],"inputs":[],"outputs":[]}"#,
  ])
  func aDamagedManifestIsCorrupt(_ text: String) throws {
    let scratch = try ScratchDirectory()
    try scratch.write(text, to: "out/manifest.json")
    let failure = Failure.of(try Manifest(scratch("out"), doing: "reading"))
    #expect(failure?.kind == .corrupt)
  }
}
