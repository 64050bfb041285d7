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
  /// Mount points of both versions of control groups, and their files that limit memory.
  /// `memory.high` is not a hard limit, but above it the system slows a process to a crawl.
  private static let unified = (mount: "/sys/fs/cgroup", files: ["memory.max", "memory.high"])
  private static let legacy = (mount: "/sys/fs/cgroup/memory", files: ["memory.limit_in_bytes"])
  /// Longest file that is read, in bytes; all of these are far shorter.
  private static let longestFile = 64 << 10

  private let root: String

  /// The system whose files are below `root`; an empty path means this system.
  init(root: String = "") { self.root = root }

  /// The smallest limit in bytes; nil without limits.
  var bytes: Int? {
    let machine = text(of: "/proc/meminfo").flatMap(MemoryLimit.total)
    let groups = MemoryLimit.groups(text(of: "/proc/self/cgroup") ?? "")
    let files =
      MemoryLimit.files(MemoryLimit.unified.mount, groups.unified, MemoryLimit.unified.files)
      + MemoryLimit.files(MemoryLimit.legacy.mount, groups.legacy, MemoryLimit.legacy.files)
    let limits = files.compactMap { text(of: $0).flatMap(MemoryLimit.limit) }
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

  /// The process's control groups from the text of `/proc/self/cgroup`: the unified one (`0::PATH`)
  /// and the memory group of version 1 (`N:memory:PATH`).
  static func groups(_ text: String) -> (unified: String?, legacy: String?) {
    var groups: (unified: String?, legacy: String?)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[0] == "0", parts[1].isEmpty { groups.unified = String(parts[2]) }
      if parts[1].split(separator: ",").contains("memory") { groups.legacy = String(parts[2]) }
    }
    return groups
  }

  /// The paths of the files `names` for the group `path` and every group above it, in the tree at
  /// `mount`. For a group outside of the mounted tree (`/../a`) only the root is included.
  static func files(_ mount: String, _ path: String?, _ names: [String]) -> [String] {
    guard let path else { return [] }
    var parts = path.split(separator: "/")
    if parts.contains("..") { parts = [] }
    var files: [String] = []
    while true {
      let group = parts.isEmpty ? mount : mount + "/" + parts.joined(separator: "/")
      files += names.map { "\(group)/\($0)" }
      if parts.popLast() == nil { return files }
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
