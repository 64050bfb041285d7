import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct StagedDirectoryTests {
  private let scratch = ScratchDirectory.fresh

  private func fill(_ staged: StagedDirectory, _ text: ByteView = "new") throws {
    try staged.makeDirectory("profiles")
    let part = try staged.folder.create("profiles/part")
    try part.append(text, lines: 1)
    #expect(try part.finish().path == "profiles/part")
    _ = try staged.folder.write(text, to: "manifest.json", lines: 1)
  }

  private func stage(
    _ name: String = "out", replaces: Bool = false, system: System = .real
  ) throws(Failure) -> StagedDirectory {
    try StagedDirectory(scratch(name), replaces: replaces, owner: .small, system: system)
  }

  private func publish(replaces: Bool = false, system: System = .real) throws -> Failure? {
    let staged = try stage(replaces: replaces, system: system)
    try fill(staged)
    return try staged.publish()
  }

  private func writeOld(_ name: String = "out/manifest.json") throws {
    try scratch.write("old", to: name)
  }

  private let published = ["out", "out/manifest.json", "out/profiles", "out/profiles/part"]

  @Test func appearsAtTheEndAndNothingElse() throws {
    let staged = try stage("out/")
    try fill(staged)
    let hidden = ".out.staging-\(System.processID)"
    #expect(
      try scratch.listing() == [
        ".out.lock", hidden, "\(hidden)/manifest.json", "\(hidden)/profiles",
        "\(hidden)/profiles/part",
      ])
    #expect(Failure.of(try stage())?.kind == .locked, "one run at a time")
    #expect(try staged.publish() == nil)
    #expect(try scratch.listing() == published)
    #expect(try scratch.text("out/profiles/part") == "new")
    staged.discard()
    #expect(try scratch.listing() == published)
  }

  @Test func anOutputThatCameIntoBeingMeanwhileIsRefused() throws {
    let staged = try stage()
    try fill(staged)
    try scratch.write("precious", to: "out/file")
    #expect(Failure.of(try staged.publish())?.kind == .usage)
    #expect(try scratch.listing() == ["out", "out/file"])
  }

  /// The order of the calls determines what survives a crash of the machine.
  @Test(arguments: ["nothing", "an empty directory", "an output", "an output, no exchange"])
  func everyFileAndDirectoryIsFlushedInTime(before: String) throws {
    if before.hasPrefix("an output") { try writeOld() }
    if before == "an empty directory" { try scratch.makeDirectory("out") }
    let calls = Locked<[System.Call]>([])
    let system = System { call in
      calls.withLock { $0.append(call) }
      return call == .exchange && before.hasSuffix("no exchange") ? .error(EINVAL) : nil
    }
    _ = try publish(replaces: true, system: system)
    let changes: Set<System.Call> = [
      .create, .makeDirectory, .synchronize, .move, .exchange, .removeFile,
    ]
    let made = calls.withLock { $0.filter(changes.contains) }
    let isNaming = { (call: System.Call) in call == .move || call == .exchange }
    let named = try #require(made.firstIndex(where: isNaming))
    let count = { (call: System.Call) in made[..<named].filter { $0 == call }.count }
    #expect(count(.create) == 2 && count(.makeDirectory) == 2)
    #expect(count(.synchronize) == 4, "each file, each directory, before the name")
    let behind = made[named...].drop(while: isNaming)
    #expect(behind.first == .synchronize, "then the directory that has the name")
    #expect(behind.dropFirst().allSatisfy { $0 == .removeFile }, "only then is anything removed")
  }

  /// Foreign files in the output.
  struct Stranger: Sendable {
    let put: @Sendable (ScratchDirectory) throws -> Void

    init(_ put: @escaping @Sendable (ScratchDirectory) throws -> Void) { self.put = put }

    static let all = [
      Stranger { try $0.write("precious", to: "out/notes") },
      Stranger { try $0.write("precious", to: "out/.notes") },
      Stranger { try $0.write("precious", to: "out/profiles/notes") },
      Stranger { try $0.makeDirectory("out/empty") },
      Stranger { try $0.link("out/notes", to: $0("elsewhere")) },
      Stranger { try $0.write("precious", to: "out/profiles/part/notes") },
      Stranger {
        try $0.write("precious", to: "elsewhere/part")
        try $0.link("out/state", to: $0("elsewhere"))
      },
      Stranger {
        try $0.makeDirectory("out/state")
        try #require(unsafe mkfifo($0("out/state/part"), 0o600) == 0)
      },
      Stranger { try $0.writeFileWhoseNameIsNotText(in: "out") },
    ]
  }

  @Test(arguments: Stranger.all, [true, false])
  func whatCameIntoTheOutputMeanwhileIsNotRemoved(
    _ stranger: Stranger, _ canExchange: Bool
  ) throws {
    try writeOld()
    let isPut = Locked(false)
    let scratch = scratch
    let system = System { call in
      guard call == .exchange || call == .move else { return nil }
      let isFirst = isPut.withLock { isPut in
        defer { isPut = true }
        return !isPut
      }
      if isFirst { try? stranger.put(scratch) }
      return call == .exchange && !canExchange ? .error(EINVAL) : nil
    }
    let failure = #expect(throws: Failure.self) { try publish(replaces: true, system: system) }
    #expect(failure?.kind == .usage, "\(failure?.message ?? "")")
    #expect(try scratch.text("out/manifest.json") == "old")
    #expect(try scratch.listing().allSatisfy { !$0.hasPrefix(".") })
    #expect(throws: Failure.self) { try publish(replaces: true) }
  }

  @Test func permissionsOfTheEarlierOutputStay() throws {
    try writeOld()
    try FileManager.default.setAttributes([.posixPermissions: 0o2710], ofItemAtPath: scratch("out"))
    let staged = try stage(replaces: true)
    #expect(try mode(staged.folder.path) == 0o2710)
    try fill(staged)
    try staged.publish()
    #expect(try mode(scratch("out")) == 0o2710)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Of its files, the manifest is removed last.
  @Test(arguments: [(System.Call.removeDirectory, 0), (.removeFile, 1)])
  func anEarlierOutputThatStaysIsAWarningAndGoesLater(_ call: System.Call, at number: Int) throws {
    for name in ["out/manifest.json", "out/profiles/part"] { try writeOld(name) }
    let fault = CountedFault(.error(EIO), at: number, of: [call], lasting: true)
    let warning = try publish(replaces: true, system: fault.system)
    let left = ".out.staging-\(System.processID)"
    #expect(warning?.path == scratch(left))
    #expect(try scratch.text("out/manifest.json") == "new")
    #expect(scratch.has("\(left)/manifest.json") && !scratch.has("\(left)/profiles/part"))
    #expect(try publish(replaces: true) == nil)
    #expect(try scratch.listing() == published)
  }

  @Test(arguments: ["open was not finished", "report.json was not made"])
  func whatIsNotFinishedOrMadeKeepsEverythingBack(_ why: String) throws {
    let staged = try stage()
    try fill(staged)
    let isOpen = why.hasPrefix("open")
    let open = isOpen ? try staged.folder.create("open") : nil
    let failure = Failure.thrown { () throws(Failure) in
      guard !isOpen else { return try staged.publish() }
      return try staged.publish(
        only: ["manifest.json", "report.json"], as: "out.rejected", owner: .rejected)
    }
    #expect(failure?.kind == .defect && failure?.why == why)
    #expect(try scratch.listing() == [])
    try open?.append("the file outlives its directory")
  }

  /// Of a file that is linked only the length is compared.
  @Test func aCopiedFileHasItsBytes() throws {
    let staged = try stage(system: System { $0 == .link ? .error(EXDEV) : nil })
    for (name, text, kind) in [("same", "abc", nil), ("other", "abd", Failure.Kind.corrupt)] {
      try scratch.write(text, to: "from/\(name)")
      let listed = WrittenFile(path: name, bytes: 3, lines: 1, xxh64: XXH64.hash("abc"))
      #expect(Failure.of(try staged.folder.add(listed, of: scratch("from")))?.kind == kind)
    }
  }

  @Test func removedPartsAreNotPublished() throws {
    let staged = try stage()
    try staged.makeDirectory("spill")
    try staged.makeDirectory("spill/a")
    _ = try staged.folder.write("x", to: "spill/a/x", lines: 0)
    try fill(staged)
    try staged.remove("spill")
    try staged.remove("never-was")
    try staged.publish()
    #expect(try scratch.listing() == published)
  }

  @Test func aPartIsPublishedUnderAnotherName() throws {
    try writeOld()
    for round in 1...2 {
      let staged = try stage(replaces: true)
      try fill(staged)
      _ = try staged.folder.create("unfinished, but not meant")
      _ = try withByteView(of: "round \(round)") {
        try staged.folder.write($0, to: "report.json", lines: 1)
      }
      try staged.publish(only: ["report.json"], as: "out.rejected", owner: .rejected)
      #expect(
        try scratch.listing()
          == ["out", "out.rejected", "out.rejected/report.json", "out/manifest.json"])
      #expect(try scratch.text("out.rejected/report.json") == "round \(round)")
      #expect(try scratch.text("out/manifest.json") == "old")
    }
  }

  @Test(arguments: ["", "/etc/passwd", "a/../b", "a//b", "./a"])
  func namesThatLeadElsewhereTrap(_ name: String) async {
    await #expect(processExitsWith: .failure) { [name] in
      _ = StagedFolder(path: "/", system: .real).path(of: name)
    }
  }
}
