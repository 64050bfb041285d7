import Foundation
@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// The one file of a partial: what a merge needs of it, and what is refused.
@Suite struct PartialFileTests {
  private let runs: PartialRuns
  private var scratch: ScratchDirectory { runs.fixture.scratch }

  init() throws {
    runs = try PartialRuns()
    try runs.fixture.log(
      (0..<20).map { Sample.event("user-\($0)", "seen", id: "\($0)") } + ["{"], "a.ndjson")
    try runs.partial(["a.ndjson"], to: "a") { $0.snapshot.partitions = 3 }
  }

  /// What merging partition 1, with all that every partition has, says of the partial.
  private func failure() -> Failure? {
    Failure.of(try runs.merge(1, step: .installations, ["a"], to: "out"))
  }

  private func expectDamage(_ how: Comment) {
    let failure = failure()
    #expect(failure?.kind == .corrupt, how)
    #expect(failure?.path?.hasSuffix("a/partial") == true && failure?.advice != "", how)
  }

  @Test func itIsTheOnlyFileAndTheSameEachTime() throws {
    #expect(try scratch.files(below: "a") == ["partial"])
    try runs.partial(["a.ndjson"], to: "again") { ($0.snapshot.partitions, $0.read.jobs) = (3, 3) }
    let bytes = try scratch.bytes("a/partial")
    #expect(try scratch.bytes("again/partial") == bytes)
    try scratch.unpack("a")
    #expect(
      try scratch.files(below: "a") == ["manifest.json", RunFiles.rejects]
        + (0..<3).map { RunFiles.spill($0, of: 3) })
    try scratch.pack("a")
    #expect(try scratch.bytes("a/partial") == bytes)
    #expect(failure() == nil)
  }

  @Test func everyByteOfTheTrailerCounts() throws {
    let whole = try scratch.bytes("a/partial")
    for index in whole.indices.suffix(24) {
      for change: UInt8 in [1, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] ^= change
        try scratch.write(bytes, to: "a/partial")
        expectDamage("byte \(index - whole.count) ^ \(change)")
      }
    }
  }

  @Test func whatIsCutOrLongerIsDamage() throws {
    let whole = try scratch.bytes("a/partial")
    for length in [0, 1, 23, 24, 25] + Array(stride(from: 30, to: whole.count, by: 211)) {
      try scratch.write(Array(whole.prefix(length)), to: "a/partial")
      expectDamage("cut to \(length)")
      try scratch.write(Array(whole.suffix(length)), to: "a/partial")
      expectDamage("the last \(length)")
    }
    try scratch.write(whole + [0], to: "a/partial")
    expectDamage("longer")
    try scratch.write([0] + whole, to: "a/partial")
    expectDamage("moved")
  }

  @Test func everyByteOfAPartIsLookedAtByWhoReadsIt() throws {
    let whole = try scratch.bytes("a/partial")
    try scratch.unpack("a")
    let lengths = try ([RunFiles.rejects] + (0..<3).map { RunFiles.spill($0, of: 3) }).map {
      try scratch.bytes("a/\($0)").count
    }
    try scratch.pack("a")
    var start = 0
    for (part, length) in lengths.enumerated() {
      for offset in [0, length / 2, length - 1] {
        var bytes = whole
        bytes[start + offset] ^= 1
        try scratch.write(bytes, to: "a/partial")
        if part == 2 { expectDamage("part \(part)") } else { #expect(failure() == nil) }
      }
      start += length
    }
  }

  /// As far as lengths and names of the parts go, with a hash of the manifest that is right.
  @Test func everyLengthAndNameInTheManifestCounts() throws {
    let whole = try scratch.bytes("a/partial")
    func expect(_ old: String, _ new: String) throws {
      try scratch.write(whole, to: "a/partial")
      try scratch.editManifest("a") { text in
        let range = try #require(text.range(of: "\"outputs\":"))
        let outputs = text[range.upperBound...]
        #expect(outputs.contains(old))
        return String(text[..<range.upperBound] + outputs.replacing(old, with: new))
      }
      expectDamage("\(old) → \(new)")
    }
    try scratch.unpack("a")
    let names = [RunFiles.rejects] + (0..<3).map { RunFiles.spill($0, of: 3) }
    let lengths = try names.map { try scratch.bytes("a/\($0)").count }
    for length in lengths {
      for other in [0, -1, length - 1, length + 1, Int.max, 1 << 52] {
        try expect("\"bytes\":\(length),", "\"bytes\":\(other),")
      }
    }
    // The one that is merged, and who goes first.
    try expect(names[2], names[1])
    try expect(names[2], "../\(names[2])")
    try expect("[{\"path\":\"\(names[0])\"", "[{\"path\":\"x\"},{\"path\":\"\(names[0])\"")
  }

  @Test func otherNumbersOfPartitionsAreDamage() throws {
    let whole = try scratch.bytes("a/partial")
    for number in ["0", "-1", "2", "4", "1048577", "\(Int.max)", "\(Int.min)", "true"] {
      try scratch.write(whole, to: "a/partial")
      try scratch.editManifest("a") {
        $0.replacing("\"partitions\":3", with: "\"partitions\":\(number)")
      }
      expectDamage("\(number) partitions")
    }
  }

  /// A scheduler may send a partition no more than its own ranges, in a sparse file.
  @Test func aPartitionNeedsOnlyItsOwnRanges() throws {
    try runs.mergeAll(["a"], partitions: 3, to: "whole")
    let bytes = try scratch.bytes("a/partial")
    try scratch.unpack("a")
    let names = [RunFiles.rejects] + (0..<3).map { RunFiles.spill($0, of: 3) }
    let lengths = try names.map { try scratch.bytes("a/\($0)").count }
    for partition in 0..<3 {
      var sparse = bytes
      var start = 0
      for (part, length) in lengths.enumerated() {
        let isNeeded = part == 1 + partition || part == 0 && partition == 0
        if !isNeeded {
          sparse.replaceSubrange(start..<start + length, with: repeatElement(0, count: length))
        }
        start += length
      }
      try scratch.write(sparse, to: "for-\(partition)/partial")
    }
    for step in [MergeStep.installations, .people] {
      for partition in 0..<3 {
        try runs.merge(partition, step: step, ["for-\(partition)"], to: "out")
      }
    }
    try runs.finish("out")
    try runs.expectSame("out", "whole", "sparse files")
  }

  /// Its files stood side by side; it is replaced like any other.
  @Test func aPartialOfAnEarlierVersionIsToBeMadeAgain() throws {
    try scratch.unpack("a")
    let text = try scratch.text("a/manifest.json")
    try scratch.write(
      text.replacing(
        "\"eventmill_partial\":\(PartialFile.formatVersion)", with: "\"eventmill_partial\":9"),
      to: "a/manifest.json")
    let failure = failure()
    #expect(
      failure?.kind == .corrupt && failure?.why == "it is not that of a partial of this format")
    #expect(failure?.advice.hasPrefix("make it again") == true)
    try runs.partial(["a.ndjson"], to: "a") {
      ($0.snapshot.partitions, $0.publish.replace) = (3, true)
    }
    #expect(try scratch.files(below: "a") == ["partial"])
    #expect(self.failure() == nil)
  }

  /// Whatever has that name and does not end as a partial does is not replaced.
  @Test func aFileThatIsNoPartialIsNotReplaced() throws {
    for text in ["", "precious", "precious, and longer than a trailer of a partial is"] {
      try scratch.write(text, to: "notes/partial")
      let failure = Failure.thrown { () throws(Failure) in
        try runs.partial(["a.ndjson"], to: "notes") { $0.publish.replace = true }
      }
      #expect(failure?.kind == .usage)
      #expect(try scratch.bytes("notes/partial") == Array(text.utf8))
    }
  }
}
