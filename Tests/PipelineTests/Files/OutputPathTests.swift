import TestSupport
import Testing

@testable import Pipeline

@Suite struct OutputPathTests {
  @Test(arguments: [
    ("out", ".", "out", "out"), ("out//", ".", "out", "out"), ("./out", ".", "out", "out"),
    ("/out/", "/", "out", "/out"), ("//out", "/", "out", "/out"),
    ("a/b/out", "a/b", "out", "a/b/out"), ("a//out", "a", "out", "a/out"),
    ("../out", "..", "out", "../out"), (".hidden", ".", ".hidden", ".hidden"),
    ("a b/ö", "a b", "ö", "a b/ö"),
  ])
  func partsOfAPath(_ text: String, _ parent: String, _ name: String, _ path: String) throws {
    let output = try OutputPath(text)
    #expect(output.parent == parent && output.name == name && output.path == path)
  }

  @Test(arguments: ["", "/", "//", ".", "./", "..", "a/..", "a/.", "a\0b", "../"])
  func notTheNameOfADirectory(_ text: String) {
    #expect(Failure.of(try OutputPath(text))?.kind == .usage)
  }

  @Test func namesBeside() throws {
    let output = try OutputPath("x/out")
    #expect(output.lock == "x/.out.lock")
    let (staging, aside) = (".out.staging-\(System.processID)", ".out.old-\(System.processID)")
    #expect(output.staging == "x/\(staging)" && output.isStaging(staging))
    #expect(output.aside == "x/\(aside)" && output.isAside(".out.old-7"))
    for other in [
      ".out.staging-", ".out.staging-1x", ".out.staging-5.staging-77", "out.staging-12",
      ".out2.staging-12", ".out.old-7", ".out.lock", ".out.staging-１",
    ] {
      #expect(!output.isStaging(other), "\(other)")
    }
  }

  /// Names of attempts have the machine and a random number, and are known by both.
  @Test func namesOfAnAttempt() throws {
    let output = try OutputPath("x/out", attempt: "2")
    #expect(output.lock == "x/.out.attempt-2.lock")
    let names = try [output.staging, output.staging].map { path in
      try #require(path.split(separator: "/").last.map(String.init))
    }
    #expect(names[0] != names[1])
    let plain = try OutputPath("x/out")
    for name in names {
      #expect(name.hasPrefix(".out.attempt-2.staging-"))
      #expect(output.isStaging(name) && !output.isAside(name) && !plain.isStaging(name))
      #expect(try !OutputPath("x/out", attempt: "3").isStaging(name))
      #expect(OutputPath.attempt(of: name) == "2")
    }
    #expect(!output.isStaging(".out.attempt-2.staging-another.host-0123456789abcdef"))
    #expect(!output.isStaging(".out.staging-12"))
    for other in [".out.lock", ".out.staging-12", ".out.attempt-.lock", ".out.attempt-a b.lock"] {
      #expect(OutputPath.attempt(of: other) == nil, "\(other)")
    }
  }
}
