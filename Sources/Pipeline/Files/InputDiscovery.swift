/// Finds the files that the arguments of a command name.
///
/// A file stands for itself, `-` for standard input, a directory for every log in it and in the
/// directories below. A log is a file named `*.ndjson`, `*.jsonl` or `*.json`, with or without
/// `.zst`, `.gz`, `.bz2` or `.xz` behind (upper and lower case differ). Names that begin with a dot
/// are passed over. Symbolic links are followed; a link back to a directory that is being walked is
/// passed over, because everything in it is found anyway. A directory that says itself which of its
/// files are logs (``Listing``) stands for these.
package struct InputDiscovery {
  /// How the names of logs end, before any ending for compression.
  private static let logSuffixes = [".ndjson", ".jsonl", ".json"]
  private static let doing = "looking for inputs at"

  /// Looks whether a directory says itself which of its files are logs: given its path and the names
  /// in it, the paths of these relative to it; nil for a directory that says nothing.
  package typealias Listing = (_ directory: String, _ names: [String]) throws(Failure) -> [String]?

  /// What the arguments name.
  package struct Survey {
    /// The inputs, sorted by the bytes of their paths.
    package let inputs: [InputFile]
    /// What lies beside them.
    package let passedOver: PassedOver
  }

  private var found: [InputFile] = []
  private var passedOver = PassedOver()
  /// Under which path a file was found first.
  private var names: [FileIdentity: String] = [:]
  private let output: Output?
  private let listing: Listing
  private let system: System

  /// The directory a command will publish.
  private struct Output {
    let shown: String
    /// Absolute and without links, as far as it exists.
    let real: String
  }

  private init(
    output: String?, listing: @escaping Listing, system: System
  ) throws(Failure) {
    self.listing = listing
    self.system = system
    if let output {
      self.output = Output(shown: output, real: try InputDiscovery.resolve(output, system))
    } else {
      self.output = nil
    }
  }

  /// The inputs that `arguments` name, sorted by the bytes of their paths.
  ///
  /// - Parameters:
  ///   - output: the directory the command will write; it may not exist yet. It must lie outside of
  ///     every input directory and hold no input, or the next run would read its own output.
  ///   - allowEmpty: whether there may be no inputs: no arguments, or directories without logs.
  ///   - listing: asked about every directory before it is looked through.
  /// - Throws: `io` for a path that is not there, may not be read, is neither file nor directory, or
  ///   is a directory without logs; `usage` for no arguments, an input that is named twice or
  ///   reached in two ways, and inputs and output inside each other.
  package static func inputs(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    listing: @escaping Listing = { _, _ throws(Failure) in nil }, system: System = .real
  ) throws(Failure) -> [InputFile] {
    try survey(
      arguments, output: output, allowEmpty: allowEmpty, listing: listing, system: system
    ).inputs
  }

  /// The inputs that `arguments` name, and what lies beside them.
  ///
  /// - Throws: as ``inputs(_:output:allowEmpty:listing:system:)``.
  package static func survey(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    listing: @escaping Listing = { _, _ throws(Failure) in nil }, system: System = .real
  ) throws(Failure) -> Survey {
    guard allowEmpty || !arguments.isEmpty else {
      throw Failure(
        .usage, doing: "looking for inputs", why: "none is named",
        advice: "name files or directories, or - for standard input")
    }
    var discovery = try InputDiscovery(output: output, listing: listing, system: system)
    for argument in arguments { try discovery.add(argument, allowEmpty: allowEmpty) }
    return Survey(
      inputs: discovery.found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
      passedOver: discovery.passedOver)
  }

  private mutating func add(_ argument: String, allowEmpty: Bool) throws(Failure) {
    guard argument != InputFile.standardInput else { return try addStandardInput() }
    let status = try system.status(of: argument, doing: InputDiscovery.doing)
    guard status.kind == .directory else {
      try checkApart(argument, isDirectory: false)
      return try addFile(argument, status, root: nil)
    }
    let before = found.count
    try walk(argument, status.identity, above: [], root: argument)
    guard allowEmpty || found.count > before else {
      throw Failure(
        .io, doing: InputDiscovery.doing, path: argument,
        why: "the directory holds no logs",
        advice: "logs are named *.ndjson, *.jsonl or *.json, with or without .zst, .gz, .bz2, .xz; "
          + "with --allow-empty there may be none")
    }
  }

  private mutating func addStandardInput() throws(Failure) {
    if found.contains(where: \.isStandardInput) {
      throw Failure(
        .usage, doing: InputDiscovery.doing, path: InputFile.standardInputName,
        why: "- is named twice", advice: "name it once")
    }
    let descriptor = try Descriptor.standardInput(
      doing: InputDiscovery.doing, system: system)
    let status: FileStatus
    do {
      status = try descriptor.status()
    } catch {
      throw error.failure(doing: InputDiscovery.doing, path: InputFile.standardInputName)
    }
    // `-` for a file that is named, too: `eventmill run a.ndjson - < a.ndjson`.
    if status.kind == .regular { try claim(InputFile.standardInputName, status.identity) }
    found.append(
      InputFile(
        path: InputFile.standardInput, size: status.kind == .regular ? status.size : nil))
  }

  private mutating func addFile(
    _ path: String, _ status: FileStatus, root: String?
  ) throws(Failure) {
    switch status.kind {
    case .regular:
      try claim(path, status.identity)
      found.append(InputFile(path: path, size: status.size, root: root))
    case .stream:
      try claim(path, status.identity)
      found.append(InputFile(path: path, size: nil, root: root))
    case .directory, .device:
      throw Failure(
        .io, doing: InputDiscovery.doing, path: path, why: "it is a device, not a file",
        advice: "name a file, a directory or - for standard input")
    }
  }

  /// Notes that the file is an input now, and that `path` leads to it.
  private mutating func claim(_ path: String, _ identity: FileIdentity) throws(Failure) {
    guard let first = names.updateValue(path, forKey: identity) else { return }
    throw Failure(
      .usage, doing: InputDiscovery.doing, path: path,
      why: first.utf8.elementsEqual(path.utf8)
        ? "the same file is named twice" : "it is the same file as \(first)",
      advice: "name every file once, or its events count twice")
  }

  /// Adds the logs below `path`. `above` holds the directories that lead here.
  private mutating func walk(
    _ path: String, _ identity: FileIdentity, above: [FileIdentity], root: String
  ) throws(Failure) {
    guard !above.contains(identity) else { return }
    try checkApart(path, isDirectory: true)
    let prefix = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
    let names = try system.names(in: path, doing: InputDiscovery.doing)
    if let listed = try listing(path, names) {
      for name in listed {
        let status = try system.status(of: prefix + name, doing: InputDiscovery.doing)
        try addFile(prefix + name, status, root: root)
      }
      return
    }
    // Sorted, so that of several faults the same one is reported each time.
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let inner = prefix + name
      guard name.utf8.first != UInt8(ascii: ".") else {
        passedOver.note(inner)
        continue
      }
      let isLog = InputDiscovery.isLog(name)
      guard let status = try system.statusIfAny(of: inner, doing: InputDiscovery.doing) else {
        // A link to nowhere ends the search only if it is named like a log.
        guard isLog else {
          passedOver.note(inner)
          continue
        }
        throw Failure(
          .io, doing: InputDiscovery.doing, path: inner,
          why: "it is a link to something that is not there",
          advice: "put that back in its place, or remove the link")
      }
      if status.kind == .directory {
        try walk(inner, status.identity, above: above + [identity], root: root)
      } else if isLog {
        try addFile(inner, status, root: root)
      } else {
        passedOver.note(inner)
      }
    }
  }

  private static func isLog(_ name: String) -> Bool {
    let stem = withoutCompression(name)
    return logSuffixes.contains { stem.hasSuffix($0) }
  }

  private static func withoutCompression(_ name: String) -> Substring {
    let suffix = Compression.promised(by: name)?.suffix ?? ""
    return name.dropLast(suffix.count)
  }

  /// The name of a log without what tells that it is one, and how it is compressed; a name that
  /// consists of nothing else stays whole.
  package static func stem(of name: String) -> String {
    var stem = withoutCompression(name)
    if let suffix = logSuffixes.first(where: stem.hasSuffix) { stem = stem.dropLast(suffix.count) }
    return stem.isEmpty ? name : String(stem)
  }

  /// Checks that the input `path` and the output do not lie inside each other.
  private func checkApart(_ path: String, isDirectory: Bool) throws(Failure) {
    // A pipe of the shell's, as `<(…)`, and a file that was removed while it is open have no path.
    guard let output,
      let real = try system.realPathIfAny(of: path, doing: InputDiscovery.doing)
    else { return }
    if InputDiscovery.holds(output.real, real) {
      throw Failure(
        .usage, doing: InputDiscovery.doing, path: path,
        why: "it lies inside the output \(output.shown)",
        advice: "write to a directory that holds no inputs")
    }
    if isDirectory && InputDiscovery.holds(real, output.real) {
      throw Failure(
        .usage, doing: InputDiscovery.doing, path: path,
        why: "the output \(output.shown) lies inside it, and the next run would read it",
        advice: "write to a directory outside of the inputs")
    }
  }

  /// Whether the output `output`, which may not exist yet, is the directory `directory` or lies below.
  ///
  /// - Throws: `io`, when the paths cannot be followed.
  package static func lies(
    _ output: String, in directory: String, system: System
  ) throws(Failure) -> Bool {
    holds(try system.realPath(of: directory, doing: doing), try resolve(output, system))
  }

  /// Whether the directory `outer` is `inner` or has it below; both absolute and without links.
  private static func holds(_ outer: String, _ inner: String) -> Bool {
    guard outer != "/" else { return true }
    let rest = inner.utf8.dropFirst(outer.utf8.count)
    return inner.utf8.starts(with: outer.utf8)
      && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
  }

  /// `path` absolute and without links, also when its last parts do not exist.
  private static func resolve(_ path: String, _ system: System) throws(Failure) -> String {
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
