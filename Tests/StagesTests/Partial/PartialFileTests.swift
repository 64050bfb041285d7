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

  /// Why merging a partition of the partial fails.
  private func failure(_ partition: Int = 1) -> Failure? {
    Failure.of(try runs.merge(partition, step: .installations, ["a"], to: "out"))
  }

  /// Checks that the partial is damaged, with these bytes, and that a merge leaves no file.
  private func expectDamage(
    _ how: Comment, of bytes: [UInt8]? = nil, partition: Int = 1
  ) throws {
    if let bytes { try scratch.write(bytes, to: "a/partial") }
    let failure = failure(partition)
    #expect(failure?.kind == .corrupt, how)
    #expect(failure?.path?.hasSuffix("a/partial") == true && failure?.advice != "", how)
    #expect(try !scratch.has("out") || scratch.files(below: "out") == [], how)
  }

  /// Its parts, in their order.
  private static let names = [RunFiles.rejects] + (0..<3).map { RunFiles.spill($0, of: 3) }

  /// Where its parts are.
  private func ranges() throws -> [Range<Int>] {
    try scratch.unpack("a")
    var ranges: [Range<Int>] = []
    for name in Self.names {
      let start = ranges.last?.upperBound ?? 0
      ranges.append(start..<start + (try scratch.bytes("a/\(name)").count))
    }
    try scratch.pack("a")
    return ranges
  }

  @Test func itIsTheOnlyFileAndTheSameEachTime() throws {
    #expect(try scratch.files(below: "a") == ["partial"])
    try runs.partial(["a.ndjson"], to: "again") { ($0.snapshot.partitions, $0.read.jobs) = (3, 3) }
    let bytes = try scratch.bytes("a/partial")
    #expect(try scratch.bytes("again/partial") == bytes)
    try scratch.unpack("a")
    #expect(try scratch.files(below: "a") == ["manifest.json"] + Self.names)
    try scratch.pack("a")
    #expect(try scratch.bytes("a/partial") == bytes)
    #expect(failure() == nil)
  }

  @Test func everyByteOfTheTrailerCountsAndNoneIsMissing() throws {
    let whole = try scratch.bytes("a/partial")
    for index in whole.indices.suffix(24) {
      for change: UInt8 in [1, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] ^= change
        try expectDamage("byte \(index - whole.count) ^ \(change)", of: bytes)
      }
    }
    for length in [0, 1, 23, 24, 25] + Array(stride(from: 30, to: whole.count, by: 211)) {
      try expectDamage("cut to \(length)", of: Array(whole.prefix(length)))
      try expectDamage("the last \(length)", of: Array(whole.suffix(length)))
    }
    try expectDamage("longer", of: whole + [0])
    try expectDamage("moved", of: [0] + whole)
  }

  /// Rejects are merged with the first partition.
  @Test func everyByteOfAPartIsLookedAtByWhoReadsIt() throws {
    let whole = try scratch.bytes("a/partial")
    for (part, range) in try ranges().enumerated() {
      for index in [range.lowerBound, (range.lowerBound + range.upperBound) / 2, range.last ?? 0] {
        var bytes = whole
        bytes[index] ^= 1
        try scratch.write(bytes, to: "a/partial")
        for (partition, parts) in [[0, 1], [2]].enumerated() {
          if parts.contains(part) {
            try expectDamage("part \(part)", partition: partition)
          } else {
            #expect(failure(partition) == nil)
            try scratch.remove("out")
          }
        }
      }
    }
  }

  /// With a hash of the manifest that is right.
  @Test func everyLengthNameAndNumberInTheManifestCounts() throws {
    let (whole, names) = (try scratch.bytes("a/partial"), Self.names)
    func expect(_ old: String, _ new: String) throws {
      try scratch.write(whole, to: "a/partial")
      try scratch.editManifest("a") { text in
        // Options come before outputs, inputs with other lengths, too.
        let start = old.hasPrefix("\"partitions") ? nil : text.range(of: "\"outputs\":")
        let end = start?.upperBound ?? text.startIndex
        #expect(text[end...].contains(old))
        return String(text[..<end] + text[end...].replacing(old, with: new))
      }
      try expectDamage("\(old) → \(new)")
    }
    for length in try ranges().map(\.count) {
      for other in [0, -1, length - 1, length + 1, Int.max, 1 << 52] {
        try expect("\"bytes\":\(length),", "\"bytes\":\(other),")
      }
    }
    // The one that is merged, and who goes first.
    try expect(names[2], names[1])
    try expect(names[2], "../\(names[2])")
    try expect("[{\"path\":\"\(names[0])\"", "[{\"path\":\"x\"},{\"path\":\"\(names[0])\"")
    for number in ["0", "-1", "2", "4", "1048577", "\(Int.max)", "\(Int.min)", "true"] {
      try expect("\"partitions\":3", "\"partitions\":\(number)")
    }
  }

  /// A scheduler may send a partition no more than its own ranges, in a sparse file.
  @Test func aPartitionNeedsOnlyItsOwnRanges() throws {
    try runs.mergeAll(["a"], partitions: 3, to: "whole")
    let bytes = try scratch.bytes("a/partial")
    for partition in 0..<3 {
      var sparse = bytes
      for (part, range) in try ranges().enumerated()
      where part != 1 + partition && (part != 0 || partition != 0) {
        sparse.replaceSubrange(range, with: repeatElement(0, count: range.count))
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
    try scratch.edit("a/manifest.json") {
      $0.replacing("_partial\":\(PartialFile.formatVersion)", with: "_partial\":9")
    }
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
      let failure = Failure.of(
        try runs.partial(["a.ndjson"], to: "notes") { $0.publish.replace = true })
      #expect(failure?.kind == .usage)
      #expect(try scratch.bytes("notes/partial") == Array(text.utf8))
    }
  }
}
