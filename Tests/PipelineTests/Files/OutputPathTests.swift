import Testing

@testable import Pipeline

@Suite struct OutputPathTests {
  @Test(arguments: [
    ("out", ".", "out", "out"),
    ("out//", ".", "out", "out"),
    ("./out", ".", "out", "out"),
    ("/out/", "/", "out", "/out"),
    ("//out", "/", "out", "/out"),
    ("a/b/out", "a/b", "out", "a/b/out"),
    ("a//out", "a", "out", "a/out"),
    ("../out", "..", "out", "../out"),
    (".hidden", ".", ".hidden", ".hidden"),
    ("a b/ö", "a b", "ö", "a b/ö"),
  ])
  func partsOfAPath(_ text: String, _ parent: String, _ name: String, _ path: String) throws {
    let output = try OutputPath(text)
    #expect(output.parent == parent)
    #expect(output.name == name)
    #expect(output.path == path)
  }

  @Test(arguments: ["", "/", "//", ".", "./", "..", "a/..", "a/.", "a\0b", "../"])
  func notTheNameOfADirectory(_ text: String) {
    let failure = #expect(throws: Failure.self) { try OutputPath(text) }
    #expect(failure?.kind == .usage)
  }

  @Test func namesBeside() throws {
    let output = try OutputPath("x/out")
    #expect(output.lock == "x/.out.lock")
    #expect(output.staging(by: 12) == "x/.out.staging-12")
    #expect(output.aside(by: 12) == "x/.out.old-12")
  }

  @Test func knowsWhatIsItsOwn() throws {
    let output = try OutputPath("x/out")
    #expect(output.isStaging(".out.staging-12"))
    #expect(output.isAside(".out.old-7"))
    for other in [
      ".out.staging-", ".out.staging-1x", ".out.staging-5.staging-77", "out.staging-12",
      ".out2.staging-12", ".out.old-7", ".out.lock", ".out.staging-１",
    ] {
      #expect(!output.isStaging(other), "\(other)")
    }
  }
}
