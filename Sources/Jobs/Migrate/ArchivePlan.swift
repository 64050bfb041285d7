import Pipeline
import Stages

/// Where every input of a migration goes: no two of them to one path, and none where something else
/// of the archive stands. Does not depend on the order of the inputs.
struct ArchivePlan {
  private static let doing = "choosing the path of"
  /// Longest name that file systems take, in bytes.
  private static let longestName = 255

  /// Where one input goes, and what there is to tell about it.
  struct Target: Equatable {
    /// The path in the archive.
    var path: String
    /// Whether the input's whole file name was kept, because others would have gone to the same
    /// path.
    var isRenamed = false
    /// Whether its folders were left out, because they lead out of the current directory.
    var isPlaced = false
    /// Where the input really lies, when a link leads to it out of the directory that was named.
    var outside: String?
  }

  /// One target for each input, in their order.
  private(set) var targets: [Target]
  /// What was no input, in the directories that were named.
  private(set) var ignoredFiles = IgnoredFiles()

  /// Places `inputs`.
  ///
  /// - Throws: `usage`, when two of them can only go to one path, or one is a file where another
  ///   needs a folder, or a name becomes too long. Complexity: O(n log n), for paths of bounded
  ///   depth.
  init(_ inputs: [InputFile]) throws(Failure) {
    let paths = inputs.map(ArchivePath.init)
    targets = paths.map { Target(path: $0.text(keepsSuffix: false), isPlaced: $0.isPlaced) }
    rename(paths)
    try check(inputs)
  }

  /// Gives inputs with a path in common their whole names. These may meet a third input's path;
  /// then that one is renamed, too, until nobody is.
  private mutating func rename(_ paths: [ArchivePath]) {
    var isDone = false
    while !isDone {
      isDone = true
      for (path, inputs) in Dictionary(
        grouping: targets.indices, by: { Self.key(targets[$0].path) })
      where inputs.count > 1 || Self.reserved.contains(path) {
        for input in inputs where !targets[input].isRenamed {
          targets[input].path = paths[input].text(keepsSuffix: true)
          targets[input].isRenamed = true
          isDone = false
        }
      }
    }
  }

  /// Paths are told apart by their bytes: texts that are equal as characters are two paths all the
  /// same.
  private static func key(_ path: String) -> [UInt8] { Array(path.utf8) }

  private static let reserved = Set(ArchiveFiles.reserved.map(key))

  private func check(_ inputs: [InputFile]) throws(Failure) {
    var owners: [[UInt8]: Int] = [:]
    for (input, target) in targets.enumerated() {
      if let other = owners.updateValue(input, forKey: Self.key(target.path)) {
        throw refusal(
          inputs[input].name, "it would go to \(target.path), and so would \(inputs[other].name)")
      }
      if Self.reserved.contains(Self.key(target.path)) {
        throw refusal(
          inputs[input].name, "it would go to \(target.path), which is the archive's own")
      }
      let name = target.path.split(separator: "/").last ?? ""
      if name.utf8.count > Self.longestName {
        throw refusal(
          inputs[input].name,
          "its name in the archive would have \(name.utf8.count) bytes, more "
            + "than \(Self.longestName)")
      }
    }
    var folders: Set<[UInt8]> = []
    for (input, target) in targets.enumerated() {
      for folder in Self.folders(of: target.path, besides: &folders) {
        let owner = owners[Self.key(folder)]
        guard owner != nil || Self.reserved.contains(Self.key(folder)) else { continue }
        throw refusal(
          inputs[input].name,
          "it needs the folder \(folder), where \(owner.map { inputs[$0].name } ?? "a report") goes"
        )
      }
    }
  }

  private func refusal(_ path: String, _ why: String) -> Failure {
    Failure(
      .usage, doing: Self.doing, path: path, why: why,
      advice: "rename one of them, or migrate them into two archives")
  }

  /// The folders that lead to `path` and are not `known`, the outermost first; then they are. Those
  /// that lead to a known folder are known, so that of a deep tree each folder is met once.
  static func folders(of path: String, besides known: inout Set<[UInt8]>) -> [String] {
    var folders: [String] = []
    var rest = Array(path.utf8)[...]
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[..<slash]
      guard known.insert(Array(rest)).inserted else { break }
      folders.append(String(decoding: rest, as: UTF8.self))
    }
    return folders.reversed()
  }
}

extension ArchivePlan {
  /// Places `inputs`, and finds out which of them lie outside of the directories that were named.
  ///
  /// - Throws: as ``init(_:)``; `io`, when one cannot be looked at.
  init(_ survey: InputDiscovery.Survey, system: System) throws(Failure) {
    let inputs = survey.inputs
    try self.init(inputs)
    ignoredFiles = survey.ignoredFiles
    var roots: [[UInt8]: String] = [:]
    for (index, input) in inputs.enumerated() {
      guard let root = input.root, input.isLinked else { continue }
      let key = Self.key(root)
      if roots[key] == nil { roots[key] = try system.realPath(of: root, doing: Self.doing) }
      let real = roots[key] ?? root
      let path = try system.realPath(of: input.path, doing: Self.doing)
      let prefix = real == "/" ? real : real + "/"
      if !path.utf8.starts(with: prefix.utf8) { targets[index].outside = path }
    }
  }
}
