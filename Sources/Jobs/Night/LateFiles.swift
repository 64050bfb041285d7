package import Pipeline

/// How the log folders of published nights differ from what their chain has read.
package struct LateFiles: WrittenObject, Sendable, Equatable {
  /// Files that came late, were empty, or have grown: no night has read all of one.
  package internal(set) var unread: [String] = []
  /// Files whose content was read under another path. The next night skips them, and notes them.
  package internal(set) var copies: [String] = []
  /// Files that no longer have all that a night has read under their name. They are left out.
  package var changed: [String] = []
  /// Files that a night has read and that are gone, of folders that still exist.
  package internal(set) var gone: [String] = []
  /// Files that may be logs, in a form that is not read.
  package internal(set) var packed: [String] = []
  /// Folders and files that could not be compared.
  package internal(set) var failures: [Failure] = []

  package init() {}

  package mutating func add(_ other: LateFiles) {
    for list in [\LateFiles.unread, \.copies, \.changed, \.gone] {
      let known = Set(self[keyPath: list])
      self[keyPath: list] += other[keyPath: list].filter { !known.contains($0) }
    }
    failures += other.failures
  }

  var ifAny: LateFiles? { failures.isEmpty && outcomes.allSatisfy(\.paths.isEmpty) ? nil : self }

  /// What is reported, in this order, each with its files.
  var outcomes: [(text: String, paths: [String])] {
    [("read", unread), ("changed, left out", changed), ("gone", gone)]
  }

  package static let fields: [Field<LateFiles>] = [
    .written("late_files", \.unread), .written("changed_files", \.changed),
    .written("gone_files", \.gone),
  ]
}

/// Compares the log folders of published nights with the manifests of their chain.
struct LateFileSearch {
  private static let doing = "looking for late files in"

  /// What a night has read of a file, and when it was published, in nanoseconds since 1970.
  private typealias Reading = (bytes: Int, published: Int)

  private let system: System
  private let control: JobControl
  private let options: ReadOptions
  /// Whether files count as unread, whatever was read.
  private let reingest: Bool
  /// The contents that nights have read under each path.
  private var readings: [FilePath: [Reading]] = [:]
  /// The contents that the chain has read, sorted by path.
  private var history: [ManifestInput] = []
  /// When the oldest of the nights added was published.
  private(set) var published = Int.max
  /// The manifest of the newest night, which lists what its chain has read.
  private var newest: Manifest?
  /// The folders compared, and the files in them, without the suffixes of compressions.
  private var folders: [String] = []
  private var found: Set<FilePath> = []
  /// Those whose content must be compared.
  private var unknown: [InputFile] = []
  private var result = LateFiles()

  init(_ options: ReadOptions, reingest: Bool, control: JobControl) {
    (system, self.control, self.options) = (control.system, control, options)
    self.reingest = reingest
  }

  /// Adds what the output `path` has read, newest night first; false when it cannot be read.
  mutating func add(_ path: String) -> Bool {
    do throws(Failure) {
      let manifest = try Manifest(path, doing: Self.doing, system: system)
      published = try system.status(of: "\(path)/\(RunFiles.manifest)", doing: Self.doing).modified
      for input in manifest.inputs { add(input.path, input.facts) }
      for input in manifest.alreadyRead { add(input.path, input.facts) }
      if newest == nil { (newest, history) = (manifest, InputHistory(manifest).inputs) }
      return true
    } catch {
      result.failures.append(error)
      return false
    }
  }

  private mutating func add(_ path: String, _ facts: FileHash) {
    readings[FilePath(path), default: []].append((facts.bytes, published))
  }

  /// Adds what a removed night, older than those added, and later ones have read in its folder.
  mutating func addRemoved(_ folder: String) {
    for input in inputs(in: folder) { add(input.path, input.facts) }
  }

  /// Whether a night has read something in this folder, as far as the chain knows.
  func isKnown(_ folder: String) -> Bool { !inputs(in: folder).isEmpty }

  /// Whether nothing was read in this folder but by the nights added: the night of its day was made
  /// without logs. False when the chain no longer knows all that it has read.
  func isNew(_ folder: String) -> Bool {
    history.count < InputHistory.most
      && inputs(in: folder).allSatisfy { readings[FilePath($0.path)] != nil }
  }

  /// What the chain has read in a folder, or as that path. Complexity: O(log n + what has its name
  /// in front) for n inputs.
  private func inputs(in folder: String) -> [ManifestInput] {
    let first = history.indices.binarySearch { history[$0].path.precedes(folder) }
    return history[first...].prefix { $0.path.utf8.starts(with: folder.utf8) }.filter {
      $0.path.utf8.dropFirst(folder.utf8.count).first.map { $0 == UInt8(ascii: "/") } ?? true
    }
  }

  /// Compares a night's folder, or its only log, if it exists. What removed nights could not read
  /// is not known: with `since` a file under a new name only counts if it came later.
  mutating func compare(_ folder: String, since: Int?) throws(Failure) {
    do throws(Failure) {
      guard try system.statusIfAny(of: folder, doing: Self.doing) != nil else { return }
      let survey = try InputDiscovery.surveyLogs(
        [folder], allowEmpty: true, rules: options.recognition, system: system)
      folders.append("\(folder)/")
      result.packed += survey.ignoredFiles.likelyLogs.map(\.path)
      // An empty file has nothing of what was read under its name.
      for file in survey.inputs where file.size != 0 {
        found.insert(InputFile.stem(of: file.path))
        if try !isRead(file, since) { unknown.append(file) }
      }
    } catch {
      try control.check()
      result.failures.append(error)
    }
  }

  /// Whether it was not modified since a night that has read as many bytes of it was published.
  private func isRead(_ file: InputFile, _ since: Int?) throws(Failure) -> Bool {
    guard let size = file.size else { return true }
    let known = readings[FilePath(file.path), default: []]
    let same = known.filter { $0.bytes == size }
    guard !same.isEmpty || since != nil else { return false }
    let status = try system.status(of: file.path, doing: Self.doing)
    if known.isEmpty, let since { return status.changed <= since }
    return same.contains { status.modified <= $0.published }
  }

  /// The result, once all folders are compared: a file may have been moved to any of them.
  func finish() throws(Failure) -> LateFiles {
    var result = result
    let selection = try InputSelection(
      unknown.sorted(byBytesOf: \.path), previous: newest, reingest: reingest, control: control)
    result.unread = selection.inputs.map(\.path)
    result.changed = selection.changed.map(\.path)
    result.copies = selection.alreadyRead.map(\.path)
    let moved = Set(selection.alreadyRead.map(\.content))
    result.gone = goneFiles(of: selection.earlier.inputs, unless: moved)
    return result
  }

  /// The paths of those `inputs`, sorted by path, that were in a folder compared and whose content
  /// is neither in one now nor among `moved`. Complexity: O(n) for n inputs.
  private func goneFiles(of inputs: [ManifestInput], unless moved: Set<ContentFacts>) -> [String] {
    let there = inputs.filter { found.contains(InputFile.stem(of: $0.path)) }.compactMap(\.content)
    let known = moved.union(there)
    var stems: Set<FilePath> = []
    var rest = folders.sortedByBytes[...]
    var gone: [String] = []
    for input in inputs where input.earlier == nil && !input.isSuperseded {
      while rest.count > 1, !input.path.precedes(rest[rest.startIndex + 1]) { rest.removeFirst() }
      guard let folder = rest.first, input.path.utf8.starts(with: folder.utf8),
        !found.contains(InputFile.stem(of: input.path)),
        input.content.map({ !known.contains($0) }) ?? true,
        stems.insert(InputFile.stem(of: input.path)).inserted
      else { continue }
      gone.append(input.path)
    }
    return gone
  }
}

extension NightFolder {
  /// Compares the folders of the `count` days up to the newest of the `published` nights, back to
  /// the first night of the chain that has read something, with what was read; and of earlier days
  /// those whose nights were made without logs, back to the oldest of `published`. Complexity:
  /// reads the manifests of the first, and the files modified after them; and the status of one
  /// path per earlier day.
  package func lateFiles(
    ofLast count: Int, published: [Day], logs: NightPattern, _ options: ReadOptions = ReadOptions(),
    reingest: Bool = false, _ control: JobControl
  ) throws(Failure) -> LateFiles {
    var search = LateFileSearch(options, reingest: reingest, control: control)
    guard let oldest = published.min(), let newest = published.max(), search.add(path(of: newest))
    else { return try search.finish() }
    let nights = Set(published)
    var folders: [(path: String, since: Int?)] = []
    let kept = newest.number - oldest.number
    let possible = min(kept + NightPlan.most, newest.number - Day(of: Timestamp.earliest).number)
    // Nights were removed back to this day; logs from before the first night were not asked for.
    let first =
      (kept...max(kept, possible)).last { search.isKnown(logs.path(of: newest.advanced(by: -$0))) }
      ?? kept
    for number in 0...max(kept, min(first, count - 1)) {
      let day = newest.advanced(by: -number)
      let folder = logs.path(of: day)
      if number >= count {
        guard search.isNew(folder),
          (try? NightFolder.hasLogs(at: folder, options, system: system)) ?? true
        else { continue }
      }
      var since: Int?
      if day != newest, !nights.contains(day) || !search.add(path(of: day)) {
        search.addRemoved(folder)
        since = search.published
      }
      folders.append((folder, since))
    }
    for (folder, since) in folders.reversed() { try search.compare(folder, since: since) }
    return try search.finish()
  }
}
