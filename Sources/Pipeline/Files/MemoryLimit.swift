/// The memory that a process may use, from the files of a Linux system or of a test.
///
/// Constraints:
/// 1. The smallest limit counts: the machine's memory, and that of every control group from the
///    process's own up to the root, because each applies to everything below it.
/// 2. Both versions of control groups are supported. In a container the paths in
///    `/proc/self/cgroup` may be those of the host and not exist here; the group at the root of the
///    mounted tree is then the container's, so it is always checked.
/// 3. A missing or unreadable value is not a limit.
struct MemoryLimit {
  /// Longest file that is read, in bytes; all of these are far shorter.
  private static let longestFile = 64 << 10

  /// What the paths of the system's files begin with; nothing for this system.
  var root = ""

  /// The smallest limit in bytes; nil without limits.
  var bytes: Int? {
    let machine = text(of: "/proc/meminfo").flatMap(MemoryLimit.total)
    let limits = MemoryLimit.files(of: text(of: "/proc/self/cgroup") ?? "")
      .compactMap { text(of: $0).flatMap(MemoryLimit.limit) }
    return ([machine].compactMap(\.self) + limits).min()
  }

  /// The memory of the machine in bytes, from the text of `/proc/meminfo`.
  static func total(_ text: String) -> Int? {
    let prefix = "MemTotal:"
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(prefix) }) else {
      return nil
    }
    let words = line.dropFirst(prefix.count).split(separator: " ")
    guard words.count == 2, words[1] == "kB", let number = Int(words[0]), number > 0 else {
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

  private func text(of path: String) -> String? {
    System.text(of: root + path, atMost: MemoryLimit.longestFile)
  }
}
