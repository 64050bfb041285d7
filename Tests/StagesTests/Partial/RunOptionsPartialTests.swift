@testable import Stages
import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct RunOptionsPartialTests {
  private func manifest(_ options: String) throws -> Manifest {
    let scratch = try ScratchDirectory()
    let bytes = ByteBuffer(text: options)
    let manifest = JSONWriter.sealed { json in
      json.member("eventmill_partition", PartialFile.formatVersion)
      ToolVersion.unversioned.write("tool", to: &json)
      json.member("options", JSONText(bytes.view))
      for name in ["inputs", "outputs"] as [StaticString] { json.array(name, of: [] as [String]) }
    }
    try scratch.write(manifest.view.array, to: "manifest.json")
    return try Manifest(scratch.path, kind: .partition, doing: "testing")
  }

  private func text(_ options: RunOptions) -> String {
    JSONWriter.document { options.recorded(Erasures()).writeFields(to: &$0) }.text
  }

  /// Sets what a partial does not record.
  private static func setMerge(_ options: inout RunOptions) {
    options.snapshot.stitch = .none
    options.snapshot.dedupeDays = 9
    options.snapshot.withValues = false
    options.publish.level = 7
    options.merge.reingest = true
  }

  @Test func everyOptionThatCanChangeAResultIsTaken() throws {
    var options = RunOptions()
    options.read.rules.v1 = .lenient
    options.read.rules.dialect = .v1
    options.read.rules.defaultTime = 1_700_000_000_000
    options.read.rules.notBefore = 1_600_000_000_000
    options.read.rules.notAfter = 1_800_000_000_000
    options.read.rules.since = 1_650_000_000_000
    options.read.rules.until = 1_750_000_000_000
    options.read.rules.maxLine = 77
    options.read.keepGoing = true
    options.snapshot.partitions = 5
    Self.setMerge(&options)
    let taken = try RunOptions().taking(manifest(text(options)), path: "p")
    #expect(text(taken) == text(options))
  }

  @Test func whatAPartialDoesNotHaveIsWhatTheMergeIsTold() throws {
    let recorded = JSONWriter.document { RunOptions().recorded(.partial).writeFields(to: &$0) }
    var expected = RunOptions()
    Self.setMerge(&expected)
    var options = expected
    // These are of the partials.
    options.snapshot.partitions = 9
    options.read.rules.notBefore = 1_600_000_000_000
    #expect(text(try options.taking(manifest(recorded.view.text), path: "p")) == text(expected))
  }

  @Test(arguments: [
    ("\"v1\":\"strict\"", "\"v1\":\"kind\""), ("\"v1\":\"strict\"", "\"v\":0"),
    ("\"auto\"", "\"V 9\""), ("\"auto\"", "7"), ("16777216", "0"), ("16777216", "1e3"),
    ("\"partitions\":1", "\"partitions\":0"), ("\"partitions\":1", "\"partitions\":-1"),
    ("\"partitions\":1", "\"partitions\":1048577"), ("\"partitions\":1", "\"partitions\":true"),
    ("\"keep_going\":false", "\"keep_going\":0"), ("\"stitch\":\"first\"", "\"stitch\":\"last\""),
    ("\"dedupe_days\":0", "\"dedupe_days\":-1"), ("\"values\":true", "\"values\":1"),
    ("\"level\":1", "\"level\":20"), ("\"level\":1", "\"level\":-1"),
    ("\"reingest\":false", "\"reingest\":null"),
    ("\"max_line\"", "\"default_time\":\"noon\",\"max_line\""),
    ("\"max_line\"", "\"not_after\":7,\"max_line\""),
  ])
  func optionsThatNobodyHasWrittenAreRefused(_ written: String, _ forged: String) throws {
    let usual = text(RunOptions())
    #expect(usual.contains(written))
    let other = try manifest(usual.replacingOccurrences(of: written, with: forged))
    let failure = Failure.of(try RunOptions().taking(other, path: "p"))
    #expect(failure?.kind == .corrupt && failure?.path == "p")
  }
}
