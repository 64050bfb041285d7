import Pipeline
import Stages

/// The target path of every input of a migration: no two equal, and none of another file of the
/// archive. Does not depend on the order of the inputs.
package struct ArchivePlan {
  private static let doing = "choosing the path of"
  /// Longest name in file systems, in bytes.
  private static let longestName = 255

  /// The target of one input, and notices about it.
  package struct Target: Equatable, Sendable {
    package internal(set) var path: String
    /// Whether the input's whole file name was kept, because of a conflict.
    package internal(set) var isRenamed = false
    /// Whether its folders were dropped, because they lead out of the current directory.
    package internal(set) var isPlaced = false
    /// The real path of the input, when a link leads out of the named directory.
    package internal(set) var outside: String?
  }

  private(set) var targets: [Target]
  /// Files in the named directories that are not inputs.
  private(set) var ignoredFiles = IgnoredFiles()

  init(_ inputs: [InputFile]) throws(Failure) {
    let paths = inputs.map(ArchivePath.init)
    targets = paths.map { Target(path: $0.text(keepsSuffix: false), isPlaced: $0.isPlaced) }
    rename(paths)
    try check(inputs)
  }

  /// Gives inputs with equal paths their whole names. These may equal a third input's path; then
  /// that one is renamed, too, until there are no conflicts.
  private mutating func rename(_ paths: [ArchivePath]) {
    var isDone = false
    while !isDone {
      isDone = true
      for (path, inputs) in Dictionary(
        grouping: targets.indices, by: { FilePath(targets[$0].path) })
      where inputs.count > 1 || Self.reserved.contains(path) {
        for input in inputs where !targets[input].isRenamed {
          targets[input].path = paths[input].text(keepsSuffix: true)
          targets[input].isRenamed = true
          isDone = false
        }
      }
    }
  }

  private static let reserved = Set(RunFiles.ofArchive.map { FilePath($0) })

  private func check(_ inputs: [InputFile]) throws(Failure) {
    var owners: [FilePath: Int] = [:]
    for (input, target) in targets.enumerated() {
      if let other = owners.updateValue(input, forKey: FilePath(target.path)) {
        throw refusal(
          inputs[input], "its target \(target.path) is also that of \(inputs[other].name)",
          with: inputs[other].name)
      }
      if Self.reserved.contains(FilePath(target.path)) {
        throw refusal(inputs[input], "its target \(target.path) is a file of the archive itself")
      }
      let name = target.path.split(separator: "/").last ?? ""
      if name.utf8.count > Self.longestName {
        throw refusal(
          inputs[input],
          "its name in the archive would have \(NumberFormat.count(name.utf8.count, "byte")), more "
            + "than \(Self.longestName)")
      }
    }
    var folders: Set<FilePath> = []
    for (input, target) in targets.enumerated() {
      for folder in Self.folders(of: target.path, besides: &folders) {
        let owner = owners[FilePath(folder)].map { inputs[$0].name }
        guard owner != nil || Self.reserved.contains(FilePath(folder)) else { continue }
        throw refusal(
          inputs[input],
          "it needs the folder \(folder), which is the target of \(owner ?? "a report")",
          with: owner)
      }
    }
  }

  private func refusal(_ input: InputFile, _ why: String, with other: String? = nil) -> Failure {
    Failure(
      .usage, doing: Self.doing, path: input.name, why: why,
      advice: other == nil
        ? "rename it" : "rename one of them, or migrate them into two archives")
  }

  /// The folders of `path` that are not `known`, the outermost first; adds them to `known`. The
  /// parents of a known folder are known, so each folder of a deep tree is visited once.
  static func folders(of path: String, besides known: inout Set<FilePath>) -> [String] {
    var folders: [String] = []
    var rest = Array(path.utf8)[...]
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[..<slash]
      let folder = FilePath(rest)
      guard known.insert(folder).inserted else { break }
      folders.append(folder.text)
    }
    return folders.reversed()
  }

  /// Assigns targets to `inputs`, and finds those outside of the named directories.
  init(_ survey: InputDiscovery.Survey, system: System) throws(Failure) {
    let inputs = survey.inputs
    try self.init(inputs)
    ignoredFiles = survey.ignoredFiles
    var roots: [FilePath: String] = [:]
    for (index, input) in inputs.enumerated() {
      guard let root = input.root, input.isLinked else { continue }
      let key = FilePath(root)
      if roots[key] == nil { roots[key] = try system.realPath(of: root, doing: Self.doing) }
      let real = roots[key] ?? root
      let path = try system.realPath(of: input.path, doing: Self.doing)
      let prefix = real == "/" ? real : real + "/"
      if !path.utf8.starts(with: prefix.utf8) { targets[index].outside = path }
    }
  }
}

/// The path of an input's canonical log in an archive: a plain relative path.
///
/// Derived from the input's path alone; ``ArchivePlan`` resolves conflicts between inputs.
struct ArchivePath: Equatable {
  static let suffix = ".ndjson.zst"

  /// The folders of the log; none is `.` or `..`.
  let folders: [String]
  /// The last part of the input's path.
  let name: String
  /// Whether only the file name was kept, because the path leads out of the current directory.
  let isPlaced: Bool

  init(_ input: InputFile) {
    if input.isStandardInput {
      (folders, name, isPlaced) = ([], "stdin", false)
      return
    }
    let path = input.pathInRoot ?? input.path
    let parts = path.split(separator: "/").map(String.init)
    if let plain = path.hasPrefix("/") ? nil : Self.normalized(parts), let last = plain.last {
      (folders, name, isPlaced) = (plain.dropLast(), last, false)
    } else {
      (folders, name, isPlaced) = ([], parts.last { $0 != "." && $0 != ".." } ?? path, true)
    }
  }

  /// The components of a path without `.` and `..`, resolved textually; nil when they lead out of
  /// the starting directory.
  private static func normalized(_ parts: [String]) -> [String]? {
    var plain: [String] = []
    for part in parts where part != "." {
      if part != ".." {
        plain.append(part)
      } else if plain.popLast() == nil {
        return nil
      }
    }
    return plain
  }

  /// The path in the archive; with `keepsSuffix` the input's whole name is kept, else the suffixes
  /// for log and compression are removed.
  func text(keepsSuffix: Bool) -> String {
    let name = keepsSuffix ? name : InputDiscovery.stem(of: name)
    return (folders + [name + Self.suffix]).joined(separator: "/")
  }
}
