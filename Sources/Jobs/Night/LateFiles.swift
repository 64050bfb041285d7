package import Pipeline

/// How the log folders of published nights differ from what their chain has read.
package struct LateFiles: Sendable, Equatable {
  /// Files that no night has read: they came late, or were empty when their night was made.
  package internal(set) var unread: [String] = []
  /// Files that differ from what a night has read under that name. They are left out.
  package internal(set) var changed: [String] = []
  /// Files that a night has read and that are gone, of folders that still exist.
  package internal(set) var gone: [String] = []
  /// Folders and files that could not be compared.
  package internal(set) var failures: [Failure] = []

  package init() {}

  /// What is reported, in this order, each with its files.
  var outcomes: [(text: String, paths: [String])] {
    [("read", unread), ("changed, left out", changed), ("gone", gone)]
  }

  /// Writes the files as fields of the open object.
  package func write(to json: inout JSONWriter) {
    json.array("late_files", of: unread)
    json.array("changed_files", of: changed)
    json.array("gone_files", of: gone)
  }
}

/// Compares the log folders of published nights with the manifests of their chain.
struct LateFileSearch {
  private static let doing = "looking for late files in"

  /// What a night has read of a file.
  private struct Reading {
    let facts: FileHash
    /// When the night was published, in nanoseconds since 1970; 0 when that is unknown.
    let published: Int
  }

  /// What a file in a folder is to the chain.
  private enum Standing { case read, unread, changed }

  private let system: System
  private let control: JobControl
  /// What was read under each path, by its bytes.
  private var readings: [[UInt8]: [Reading]] = [:]
  /// The paths of inputs that were not empty, by their lengths in bytes.
  private var pathsByLength: [Int: Set<[UInt8]>] = [:]
  /// The same, by the paths without the suffix of a compression.
  private var pathsByStem: [[UInt8]: Set<[UInt8]>] = [:]
  /// The paths of files that were found under another name or packed in another way.
  private var moved: Set<[UInt8]> = []
  /// The folders compared, each with the files in it.
  private var folders: [(path: [UInt8], found: Set<[UInt8]>)] = []
  private var result = LateFiles()

  init(control: JobControl) { (system, self.control) = (control.system, control) }

  // MARK: What was read

  /// Adds what the output in the directory `path` and, if it is the newest, its chain have read.
  ///
  /// - Returns: false when it cannot be read.
  mutating func add(_ path: String, isNewest: Bool) -> Bool {
    do throws(Failure) {
      let manifest = try ManifestFile(path, doing: Self.doing, system: system)
      guard manifest.formatProblem == nil else { return false }
      let published = try system.status(
        of: "\(path)/\(RunFiles.manifest)", doing: Self.doing
      ).modified
      for input in manifest.inputs { add(input.path, input.facts, published) }
      for input in manifest.alreadyRead { add(input.path, input.facts, published) }
      guard isNewest else { return true }
      for input in manifest.earlierInputs { add(input.path, input.facts, 0) }
      return true
    } catch {
      result.failures.append(error)
      return false
    }
  }

  private mutating func add(_ path: String, _ facts: FileHash, _ published: Int) {
    let path = Array(path.utf8)
    readings[path, default: []].append(Reading(facts: facts, published: published))
    guard facts.bytes > 0 else { return }
    pathsByLength[facts.bytes, default: []].insert(path)
    pathsByStem[Self.stem(path), default: []].insert(path)
  }

  /// A path without the suffix of a compression.
  private static func stem(_ path: [UInt8]) -> [UInt8] {
    let suffix = Compression.promised(by: String(decoding: path, as: UTF8.self))?.suffix ?? ""
    return path.dropLast(suffix.utf8.count)
  }

  // MARK: What is there

  /// Compares a night's folder, or its only log, if it exists.
  ///
  /// - Throws: the failure that the job was cancelled with.
  mutating func compare(_ folder: String) throws(Failure) {
    do throws(Failure) {
      guard try system.statusIfAny(of: folder, doing: Self.doing) != nil else { return }
      let files = try InputDiscovery.surveyLogs([folder], allowEmpty: true, system: system).inputs
      let found = Set(files.map { Array($0.path.utf8) })
      folders.append((Array("\(folder)/".utf8), found))
      for file in files {
        switch try standing(of: file, beside: found) {
        case .read: break
        case .unread: result.unread.append(file.path)
        case .changed: result.changed.append(file.path)
        }
      }
    } catch {
      try control.check()
      result.failures.append(error)
    }
  }

  /// The result, once all folders are compared: a file may have been moved to any of them.
  func finish() -> LateFiles {
    var result = result
    for (folder, found) in folders {
      let gone = pathsByStem.values.joined().filter {
        $0.starts(with: folder) && !found.contains($0) && !moved.contains($0)
      }
      result.gone += gone.map { String(decoding: $0, as: UTF8.self) }.sortedByBytes
    }
    return result
  }

  /// What the file is to the chain. One that has grown counts as changed: a run reads files whole.
  /// One of the same length is read again only if it was modified after its night was published.
  private mutating func standing(
    of file: InputFile, beside found: Set<[UInt8]>
  ) throws(Failure) -> Standing {
    guard let size = file.size else { return .read }
    let path = Array(file.path.utf8)
    let read = readings[path, default: []].filter { $0.facts.bytes > 0 }
    guard !read.isEmpty else {
      return size == 0 ? .read : try standing(ofUnknown: path, size, beside: found)
    }
    let same = read.filter { $0.facts.bytes == size }
    if same.isEmpty { return .changed }
    let modified = try system.status(of: file.path, doing: Self.doing).modified
    if same.contains(where: { modified <= $0.published }) { return .read }
    let facts = try hash(file.path)
    return same.contains { $0.facts == facts } ? .read : .changed
  }

  /// What a file is if no night has read a byte under its path. It counts as read if it was
  /// moved, or packed in another way, which would otherwise count a single line twice: a run only
  /// skips equal files of several lines.
  private mutating func standing(
    ofUnknown path: [UInt8], _ size: Int, beside found: Set<[UInt8]>
  ) throws(Failure) -> Standing {
    if let packed = pathsByStem[Self.stem(path)] {
      if !packed.isDisjoint(with: found) { return .changed }
      moved.formUnion(packed)
      return .read
    }
    guard let candidates = pathsByLength[size] else { return .unread }
    let facts = try hash(String(decoding: path, as: UTF8.self))
    for candidate in candidates {
      guard readings[candidate, default: []].contains(where: { $0.facts == facts }) else {
        continue
      }
      let isGone =
        try system.statusIfAny(
          of: String(decoding: candidate, as: UTF8.self), doing: Self.doing) == nil
      guard isGone || Self.name(candidate) == Self.name(path) else { continue }
      if isGone { moved.insert(candidate) }
      return .read
    }
    return .unread
  }

  /// The last part of a path.
  private static func name(_ path: [UInt8]) -> ArraySlice<UInt8> {
    path.split(separator: UInt8(ascii: "/")).last ?? []
  }

  private func hash(_ path: String) throws(Failure) -> FileHash {
    try FileHash(of: path, doing: Self.doing) { _ throws(Failure) in try control.check() }
  }
}

extension NightFolder {
  /// Compares the folders of the newest `count` of the `published` nights, as far as they follow
  /// each other without a gap, with what was read: beyond a removed night it is unknown what was.
  ///
  /// Complexity: reads the manifests of these nights, and the files modified after them.
  /// - Throws: the failure that the job was cancelled with.
  package func lateFiles(
    ofLast count: Int, published: [Day], logs: NightPattern, _ control: JobControl
  ) throws(Failure) -> LateFiles {
    var search = LateFileSearch(control: control)
    var nights: [Day] = []
    for day in published.sorted(by: >).prefix(count) {
      if let next = nights.last, day.advanced(by: 1) != next { break }
      guard search.add(path(of: day), isNewest: nights.isEmpty) else { break }
      nights.append(day)
    }
    for day in nights.reversed() { try search.compare(logs.path(of: day)) }
    return search.finish()
  }
}
