import TestSupport
import Testing

@testable import Pipeline

@Suite struct MemoryLimitTests {
  private static let gigabyte = 1 << 30

  /// The limit of a system with 8 GiB of memory and these files.
  private func bytes(_ files: [String: String]) throws -> Int? {
    let scratch = try ScratchDirectory()
    try scratch.write("MemTotal:        8388608 kB\nMemFree:   123 kB\n", to: "proc/meminfo")
    for (path, text) in files { try scratch.write(text, to: path) }
    return MemoryLimit(root: scratch.path).bytes
  }

  @Test func theMachine() throws {
    #expect(MemoryLimit(root: try ScratchDirectory().path).bytes == nil)
    #expect(try bytes([:]) == 8 * Self.gigabyte)
  }

  @Test(arguments: [
    ("MemTotal: 5 kB", 5120), ("a\nMemTotal:\t5 kB", nil), ("MemTotal: 5", nil),
    ("MemTotal: -5 kB", nil), ("MemTotal: 0 kB", nil), ("MemTotal: 9223372036854775807 kB", nil),
    ("", nil), ("xMemTotal: 5 kB", nil),
  ])
  func theTotalOfAMachine(text: String, total: Int?) { #expect(MemoryLimit.total(text) == total) }

  @Test(arguments: [
    ("max\n", nil), ("1048576\n", 1_048_576), ("0\n", 0), ("", nil), ("-1\n", nil), ("x", nil),
    ("9223372036854771712\n", 9_223_372_036_854_771_712), ("99999999999999999999\n", nil),
  ])
  func theLimitOfAGroup(text: String, limit: Int?) { #expect(MemoryLimit.limit(text) == limit) }

  @Test func everyGroupAboveCounts() {
    let text = "12:cpu,cpuacct:/a\n9:hugetlb,memory:/docker/x:y\n1:name=systemd:/s\n0::/u.slice\n"
    let (new, old) = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
    #expect(
      MemoryLimit.files(of: text) == [
        "\(old)/docker/x:y/memory.limit_in_bytes", "\(old)/docker/memory.limit_in_bytes",
        "\(old)/memory.limit_in_bytes", "\(new)/u.slice/memory.max",
        "\(new)/u.slice/memory.high", "\(new)/memory.max", "\(new)/memory.high",
      ])
    #expect(MemoryLimit.files(of: "no line of that form\n5:cpu:/a\n") == [])
    let root = ["\(new)/memory.max", "\(new)/memory.high"]
    #expect(MemoryLimit.files(of: "0::/\n") == root)
    #expect(MemoryLimit.files(of: "0::/../../etc\n") == root, "nothing outside is read")
  }

  @Test(arguments: ["memory.max", "memory.high"], ["a/b", "a", ""])
  func theLeastOfTheUnifiedGroups(file: String, group: String) throws {
    var files = [
      "proc/self/cgroup": "0::/a/b\n",
      "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "5368709120\n",
    ]
    #expect(try bytes(files) == 5 * Self.gigabyte)
    files["sys/fs/cgroup/\(group)/\(file)"] = "1073741824\n"
    #expect(try bytes(files) == Self.gigabyte)
  }

  @Test func aGroupOfTheOlderKind() throws {
    var files = [
      "proc/self/cgroup": "4:memory:/docker/x\n0::/\n",
      "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "9223372036854771712\n",
    ]
    #expect(try bytes(files) == 8 * Self.gigabyte, "the older kind's word for no limit")
    // In a container the path is the host's, and the container's own group is the root.
    files["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "2147483648\n"
    #expect(try bytes(files) == 2 * Self.gigabyte)
  }
}

@Suite struct SystemMemoryTests {
  @Test func thisProcessHasMemory() throws { #expect(try #require(System.memory) > 16 << 20) }

  @Test func aNumberIsFoundByItsName() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("ab: 1\nb:\t20 kB\nc:\n", to: "a")
    for (name, number) in [("b:", 20), ("ab:", 1), ("c:", nil), ("d:", nil)] as [(String, Int?)] {
      #expect(System.number(name, in: path) == number, "\(name)")
    }
  }
}
