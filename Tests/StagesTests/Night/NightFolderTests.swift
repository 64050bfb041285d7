import Pipeline
import TestSupport
import Testing

@testable import Jobs

@Suite struct NightFolderTests {
  private static let day = Day(of: 1_717_200_000_000)

  @Test func theLinkLeadsToTheNewestNight() throws {
    let scratch = try ScratchDirectory()
    let folder = NightFolder(try NightPattern(scratch("out/%Y/%m-%d")))
    try scratch.write([7], to: "out/2024/06-01/file")
    try scratch.write([8], to: "out/2024/06-02/file")
    try folder.makeCurrent(Self.day)
    #expect(try scratch.bytes("out/current/file") == [7])
    try folder.makeCurrent(Self.day.advanced(by: 1))
    #expect(try scratch.bytes("out/current/file") == [8])
    #expect(try scratch.files(below: "out") == ["2024/06-01/file", "2024/06-02/file"])
  }

  @Test func whatIsNotAnOutputStays() throws {
    let scratch = try ScratchDirectory()
    let folder = NightFolder(try NightPattern(scratch("%Y-%m-%d")))
    try scratch.write("{}", to: "2024-06-01/manifest.json")
    #expect(try folder.published() == [])
    let expired = try folder.expired(
      Retention(daily: 1), of: [Self.day, Self.day.advanced(by: 2)],
      and: [Self.day.advanced(by: 3)])
    #expect(expired.map(\.day) == [Self.day])
    #expect(expired.first?.refusal == "it is not an output of eventmill")
    #expect(throws: Failure.self) { try folder.remove([Self.day]) }
    #expect(try scratch.files(below: ".") == ["2024-06-01/manifest.json"])
  }

  /// The base may be on another file system.
  @Test func nightsAreRemovedBesideThemselves() throws {
    let scratch = try ScratchDirectory()
    let pattern = try NightPattern(scratch("%Y/%m/%d"))
    let manifest =
      "{\"eventmill_output\":\(Manifest.formatVersion),\"tool\":{\"version\":\"1\"},\"outputs\":[]}"
    try scratch.write(manifest, to: "2024/06/01/manifest.json")
    let broken = System { $0 == .removeFile ? .error(5) : nil }
    #expect(throws: Failure.self) { try NightFolder(pattern, system: broken).remove([Self.day]) }
    #expect(try scratch.files(below: ".") == ["2024/06/.removed-2024-06-01/manifest.json"])
    try scratch.write("", to: "2024/06/.02.lock")
    try NightFolder(pattern).lock().release()
    #expect(try scratch.files(below: ".") == [])
  }
}
