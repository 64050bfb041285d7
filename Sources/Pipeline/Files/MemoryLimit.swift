/// The memory that a process may use, from the files of a Linux system or of a test.
///
/// The smallest limit counts: the machine's, and that of every control group (of both versions)
/// from the process's own up to the root, because each applies to everything below it. In a
/// container the paths in `/proc/self/cgroup` may be those of the host and not exist here; the
/// group at the root of the mounted tree is then the container's, so it is always checked. A
/// missing or unreadable value is not a limit.
struct MemoryLimit {
  /// What the paths of the system's files begin with; nothing for this system.
  var root = ""

  /// The smallest limit in bytes; nil without limits.
  var bytes: Int? {
    let machine = System.text(of: root + "/proc/meminfo").flatMap(MemoryLimit.total)
    let limits = MemoryLimit.files(of: System.text(of: root + "/proc/self/cgroup") ?? "")
      .compactMap { System.text(of: root + $0).flatMap(MemoryLimit.limit) }
    return ([machine].compactMap(\.self) + limits).min()
  }

  /// The memory of the machine in bytes, from the text of `/proc/meminfo`.
  static func total(_ text: String) -> Int? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    let words = line?.split(separator: " ") ?? []
    guard words.count == 3, words[2] == "kB", let number = Int(words[1]), number > 0 else {
      return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1024)
    return overflow ? nil : bytes
  }

  /// The files with limits of memory, from the text of `/proc/self/cgroup`: of the unified group
  /// (`0::PATH`), of the memory group of version 1 (`N:memory:PATH`), and of every group above.
  /// Of a group outside of the mounted tree (`/../a`) only the root is included.
  static func files(of groups: String) -> [String] {
    groups.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let isLegacy = parts[1].split(separator: ",").contains("memory")
      guard isLegacy || parts[0] == "0" && parts[1].isEmpty else { return [] }
      let mount = isLegacy ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
      // `memory.high` is not a hard limit, but above it the system slows a process to a crawl.
      let names = isLegacy ? ["memory.limit_in_bytes"] : ["memory.max", "memory.high"]
      var path = [mount] + parts[2].split(separator: "/").map(String.init)
      if path.contains("..") { path = [mount] }
      return path.indices.reversed().flatMap { last in
        names.map { (path[...last] + [$0]).joined(separator: "/") }
      }
    }
  }

  /// The limit in a file of a control group, in bytes; nil for `max` and anything but a number.
  static func limit(_ text: String) -> Int? {
    let word = text.split(whereSeparator: \.isWhitespace).first
    return word.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
