/// Finds the files that the arguments of a command name.
///
/// A file is itself an input, `-` is standard input, and a directory means every log in it and in
/// the directories below. A log is a file named `*.ndjson`, `*.jsonl` or `*.json`, optionally
/// followed by `.zst`, `.gz`, `.bz2` or `.xz`, in upper or lower case, or any other one whose
/// content begins like one (``LogProbe``), unless it is hidden or ``unfinished``. The rest of a
/// directory is ignored (``IgnoredFiles``). What is found under its own path is not found again
/// under another: files that are arguments come first, then directories, then what symbolic links
/// in these lead to, each by the bytes of their paths, so that the order of the arguments does not
/// matter. A directory may say what is in it (``Listing``).
package struct InputDiscovery {
  /// How the names of logs end, before any ending for compression.
  private static let logSuffixes = [".ndjson", ".jsonl", ".json"]
  /// How names of files end that are being written, or that an editor keeps beside another one.
  private static let unfinished = [
    ".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".download", ".uploading",
    ".incomplete", ".inprogress", ".in-progress", "._copying_", ".lock", ".swp", ".bak", ".orig",
    "~",
  ]
  static let doing = "looking for inputs at"

  package enum Listed {
    /// It has these logs, by their paths in it.
    case logs([String])
    /// It has none, because it is this, as in "an output of eventmill".
    case nothing(String)
  }

  /// Returns what a directory says, given its path and the names in it; nil for any other one. An
  /// output of `migrate` lists its logs, one of `run` has none.
  package typealias Listing = (_ directory: String, _ names: [String]) throws(Failure) -> Listed?

  /// Returns what a file is that begins with these bytes and is not a log (``IgnoredFiles``), as in
  /// "a tar archive".
  package typealias Naming = (ByteView) -> String

  /// Returns what lines are that look like those of a log, if none is a record, or what a document
  /// is, as in "a JSON document"; nil for a log.
  package typealias Strays = (_ text: ByteView, _ isDocument: Bool) -> String?

  package struct Survey {
    /// The inputs, sorted by the bytes of their paths.
    package let inputs: [InputFile]
    package let ignoredFiles: IgnoredFiles
    /// Why files and directories could not be inspected, where that does not end the survey.
    package let faults: [Failure]
  }

  private(set) var found: [InputFile] = []
  var ignoredFiles = IgnoredFiles()
  /// The first path under which each file was found, and whether that was an argument.
  private var names: [FileIdentity: (path: String, isArgument: Bool)] = [:]
  /// The first path under which each directory was walked: other ones lead to nothing new.
  var walked: [FileIdentity: String] = [:]
  /// Those of them that hold no log.
  var barren: Set<FileIdentity> = []
  private var roots: [Directory] = []
  /// Symbolic links that were found in them.
  var links: [Link] = []
  /// The directory that a command will publish, as shown in messages and without links.
  let output: (shown: String, real: String)?
  let listing: Listing
  let naming: Naming
  let strays: Strays
  let system: System

  /// Whether a path may be reached twice.
  private let mayRepeat: Bool
  /// Why files and directories could not be inspected so far; nil if the first ends the survey.
  private var faults: [Failure]?

  /// Finds the inputs that `arguments` name, and the ignored files beside them.
  /// - Parameters:
  ///   - output: the directory the command will write; it may not exist yet. It must be outside of
  ///     every input directory and hold no input, or the next run would read its own output.
  ///   - allowEmpty: whether there may be no inputs: no arguments, or directories without logs.
  ///   - mayRepeat: whether a file that is named twice is an input once, rather than a fault.
  ///   - keepsGoing: whether a path that cannot be inspected is one of ``Survey/faults``, rather
  ///     than the end, unless there is no input.
  ///   - strays: called for files that are logs only by their first line, or not even by that.
  /// - Throws: `io` for a path that cannot be read, is neither file nor directory, or has no logs;
  ///   `usage` for no arguments, repeated inputs, and inputs and output inside each other.
  package static func survey(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false, mayRepeat: Bool = false,
    keepsGoing: Bool = false, listing: @escaping Listing = { _, _ throws(Failure) in nil },
    naming: @escaping Naming = { _ in "not a log" },
    strays: @escaping Strays = { _, _ in nil }, system: System = .real
  ) throws(Failure) -> Survey {
    guard allowEmpty || !arguments.isEmpty else {
      throw Failure(
        .usage, doing: "looking for inputs", why: "none is named",
        advice: "name files or directories, or - for standard input")
    }
    var discovery = InputDiscovery(
      output: try output.map { output throws(Failure) in (output, try resolve(output, system)) },
      listing: listing, naming: naming, strays: strays, system: system, mayRepeat: mayRepeat,
      faults: keepsGoing ? [] : nil)
    let fresh = discovery
    for argument in arguments.sortedByBytes {
      try discovery.attempt { this throws(Failure) in try this.add(argument) }
    }
    try discovery.walk()
    if !allowEmpty { try discovery.checkRoots(by: fresh) }
    if discovery.found.isEmpty, let fault = discovery.faults?.first { throw fault }
    return Survey(
      inputs: discovery.found.sorted(byBytesOf: \.path),
      ignoredFiles: discovery.ignoredFiles, faults: discovery.faults ?? [])
  }

  /// Does something about a path; if that fails, the survey may go on.
  mutating func attempt(
    _ body: (inout InputDiscovery) throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try body(&self)
    } catch {
      guard faults != nil, error.kind == .io else { throw error }
      faults?.append(error)
    }
  }

  /// Adds the argument, if it is a file; directories are walked later.
  private mutating func add(_ argument: String) throws(Failure) {
    guard argument != InputFile.standardInput else { return try addStandardInput() }
    let (found, isLink) = try system.found(at: argument, doing: Self.doing)
    if found == nil, isLink { throw missing(argument, isLink: true) }
    let status = try system.status(of: argument, doing: Self.doing)
    // A pipe of the shell, like `<(…)`, and a file that was removed while open have no path.
    let real =
      try output.flatMap { _ throws(Failure) in
        try system.realPathIfAny(of: argument, doing: Self.doing)
      }
    guard status.kind == .directory else {
      try checkApart(argument, real: real, isDirectory: false)
      return try addFile(argument, status)
    }
    roots.append(Directory(path: argument, real: real, identity: status.identity, root: argument))
  }

  private mutating func walk() throws(Failure) {
    for root in roots { try attempt { this throws(Failure) in try this.enter(root) } }
    try followLinks()
  }

  /// Checks that there are logs in each directory. Those that were found under other names count,
  /// and a `fresh` survey finds them.
  private mutating func checkRoots(by fresh: InputDiscovery) throws(Failure) {
    let filled = Set(found.compactMap { $0.root.map { FilePath($0) } })
    for root in roots where !filled.contains(FilePath(root.path)) {
      var alone = fresh
      alone.roots = [root]
      try alone.walk()
      guard alone.found.isEmpty else { continue }
      let other = alone.ignoredFiles.files.first
      try attempt { _ throws(Failure) in
        throw Failure(
          .io, doing: Self.doing, path: root.path,
          why: "the directory contains no logs"
            + (other.map { ", but \($0.path): \($0.kind)" } ?? ""),
          advice: [
            "name the logs, or a directory with files of JSON objects, one in each line",
            "use --allow-empty if there may be none",
          ])
      }
    }
  }

  private mutating func addStandardInput() throws(Failure) {
    if found.contains(where: \.isStandardInput) {
      throw Failure(
        .usage, doing: Self.doing, path: InputFile.standardInputName,
        why: "- is named twice", advice: "name it once")
    }
    let descriptor = try Descriptor.standardInput(doing: Self.doing, system: system)
    let status = try System.explained(
      Self.doing, InputFile.standardInputName, for: .reading, descriptor.status())
    // `-` may be a file that is also named: `eventmill run a.ndjson - < a.ndjson`.
    if status.kind == .regular {
      let isNew = try claim(InputFile.standardInputName, status.identity, isArgument: true)
      guard isNew else { return }
    }
    found.append(InputFile(path: InputFile.standardInput, size: status.length))
  }

  mutating func addFile(
    _ path: String, _ status: FileStatus, root: String? = nil, isLinked: Bool = false
  ) throws(Failure) {
    guard status.kind == .regular || status.kind == .stream else {
      throw Failure(
        .io, doing: Self.doing, path: path, why: "it is a device, not a file",
        advice: "name a file, a directory or - for standard input")
    }
    // A named pipe is awaited if it is an argument, but not if it is found in a directory.
    guard status.kind == .regular || root == nil else {
      throw Failure(
        .io, doing: Self.doing, path: path, why: "it is \(status.kind.words), not a file",
        advice: "remove it from the directory, or name it explicitly")
    }
    if isLinked, output != nil {
      let real = try system.realPathIfAny(of: path, doing: Self.doing)
      try checkApart(path, real: real, isDirectory: false)
    }
    guard try claim(path, status.identity, isArgument: root == nil) else { return }
    found.append(InputFile(path: path, size: status.length, root: root, isLinked: isLinked))
  }

  /// Registers the file as an input found at `path`. Returns whether it is a new one.
  private mutating func claim(
    _ path: String, _ identity: FileIdentity, isArgument: Bool
  ) throws(Failure) -> Bool {
    guard let first = names[identity] else {
      names[identity] = (path, isArgument)
      return true
    }
    // The argument is the mistake.
    let (path, other) =
      first.isArgument && !isArgument && !mayRepeat ? (first.path, path) : (path, first.path)
    try noteRepeated(path, other, "file", isArgument: isArgument || first.isArgument)
    return false
  }

  /// Notes that something was found before, as `first`. An argument is a mistake then, and so is a
  /// path that is reached again; another name in a directory, such as a link, is not.
  /// - Throws: `usage`, for a mistake, unless paths may be repeated.
  mutating func noteRepeated(
    _ path: String, _ first: String, _ what: String, isArgument: Bool
  ) throws(Failure) {
    let isSame = first.utf8.elementsEqual(path.utf8)
    guard isSame || isArgument && !mayRepeat else {
      return ignoredFiles.note(path, "the same \(what) as \(first)")
    }
    if mayRepeat { return }
    throw Failure(
      .usage, doing: Self.doing, path: path,
      why: isSame ? "the same \(what) is named twice" : "it is the same \(what) as \(first)",
      advice: "name every \(what) once, or its events count twice")
  }

  static func isLog(_ name: String) -> Bool { parts(of: name).isLog }

  /// Whether a name has the suffix of a log before another one.
  static func isLogInside(_ name: String) -> Bool {
    let name = name.lowercased()
    return logSuffixes.contains { name.contains("\($0).") }
  }

  /// Whether the name is also usual for documents that are not logs.
  static func mayBeDocument(_ path: String) -> Bool { path.endsIgnoringCase(in: ".json") }

  /// What a file is according to its name, if that excludes a log.
  static func excluded(_ name: String) -> String? {
    if name.utf8.first == UInt8(ascii: ".") { return "hidden" }
    if isLog(name) { return nil }
    // Of Hadoop, Spark and Hive: `_SUCCESS`, `_committed_…`.
    if name.utf8.first == UInt8(ascii: "_") { return "named like metadata (_)" }
    let suffix = unfinished.first { name.endsIgnoringCase(in: $0) }
    return suffix.map { "named like an unfinished file or a copy (\($0))" }
  }

  /// The name without the suffixes of a compression and of a log, and whether it has that of a log.
  private static func parts(of name: String) -> (stem: Substring, isLog: Bool) {
    let stem = name[...].dropping(Compression.promise(of: name)?.suffix ?? "")
    let suffix = logSuffixes.first { stem.endsIgnoringCase(in: $0) }
    return (stem.dropping(suffix ?? ""), suffix != nil)
  }

  /// The name of a log without its suffixes; a name that is only a suffix stays whole.
  package static func stem(of name: String) -> String {
    let stem = parts(of: name).stem
    return stem.isEmpty ? name : String(stem)
  }

  /// Checks that neither the input `path`, resolved to `real`, nor the output contains the other.
  func checkApart(_ path: String, real: String?, isDirectory: Bool) throws(Failure) {
    guard let output, let real else { return }
    if Self.holds(output.real, real) {
      throw Failure(
        .usage, doing: Self.doing, path: path,
        why: "it is inside the output \(output.shown)",
        advice: "write to a directory that contains no inputs")
    }
    if isDirectory && Self.holds(real, output.real) {
      throw Failure(
        .usage, doing: Self.doing, path: path,
        why: "the output \(output.shown) is inside it, and the next run would read it",
        advice: "write to a directory outside of the inputs")
    }
  }

  /// Whether `output`, which may not exist yet, is `directory` or below it.
  /// - Throws: `io`, when the paths cannot be resolved.
  package static func isInside(
    _ output: String, in directory: String, system: System
  ) throws(Failure) -> Bool {
    holds(try system.realPath(of: directory, doing: doing), try resolve(output, system))
  }

  /// Whether the directory `outer` is `inner` or contains it; both absolute and without links.
  private static func holds(_ outer: String, _ inner: String) -> Bool {
    guard outer != "/" else { return true }
    let rest = inner.utf8.dropFirst(outer.utf8.count)
    return inner.utf8.starts(with: outer.utf8)
      && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
  }

  /// `path` absolute and without links, even if its last parts do not exist.
  /// - Throws: `io`, when the path cannot be resolved.
  package static func resolve(_ path: String, _ system: System) throws(Failure) -> String {
    var missing: [Substring] = []
    var known = Substring(path)
    while true {
      while known.utf8.count > 1, known.utf8.last == UInt8(ascii: "/") { known.removeLast() }
      let looked = known.isEmpty ? "." : String(known)
      if let real = try system.realPathIfAny(of: looked, doing: "looking for the output at") {
        let start = real == "/" ? "" : real
        return missing.isEmpty ? real : start + "/" + missing.reversed().joined(separator: "/")
      }
      guard looked != "." && looked != "/" else {
        return try system.realPath(of: looked, doing: "looking for the output at")
      }
      let slash = known.utf8.lastIndex(of: UInt8(ascii: "/"))
      missing.append(slash.map { known[known.utf8.index(after: $0)...] } ?? known)
      known = slash.map { known[...$0] } ?? ""
    }
  }
}

extension Substring {
  /// The text without its last bytes, which are `suffix` in upper or lower case.
  fileprivate func dropping(_ suffix: String) -> Substring {
    self[..<utf8.index(endIndex, offsetBy: -suffix.utf8.count)]
  }
}
