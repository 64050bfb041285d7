import Pipeline
import Stages

/// A finished partial, as ``PartialWriter`` has written it.
struct PartialDirectory {
  private static let doing = "reading the partial"

  let path: String
  let manifest: ManifestFile
  let facts: PartialFacts
  private let system: System

  /// Opens the partial in the directory `path`.
  ///
  /// - Throws: `usage` when it is none; `corrupt` when it is damaged or files of it are missing;
  ///   `io`.
  init(_ path: String, system: System) throws(Failure) {
    self.path = path
    self.system = system
    manifest = try ManifestFile(
      path, kind: .partial, doing: PartialDirectory.doing, system: system)
    let file = "\(path)/\(RunFiles.facts)"
    let document = try JSONDocument(reading: file, doing: PartialDirectory.doing, system: system)
    do throws(FactsDamage) {
      facts = try PartialFacts(document.root)
    } catch {
      throw PartialDirectory.damaged(file, error.why)
    }
    try check(RunFiles.facts)
    guard facts.outcomes.map(ManifestInput.init) == manifest.inputs else {
      throw PartialDirectory.damaged(file, "its inputs are not those of the manifest")
    }
  }

  static func damaged(_ path: String, _ why: String) -> Failure {
    Failure(
      .corrupt, doing: doing, path: path, why: why,
      advice: "make the partial again, or restore it from a copy")
  }

  /// How many partitions it has.
  var partitions: Int { manifest.option("partitions")?.int ?? 0 }

  /// What it was made of: partials with the same inputs and options are the same. By bytes, because
  /// paths that are equal as characters may lead to two files.
  var identity: [[UInt8]] {
    var texts = manifest.optionTexts
    for (outcome, ledger) in zip(facts.outcomes, facts.tally.ledgers) {
      let input = ManifestInput(outcome)
      texts.append(
        "\(input.path)\n\(input.facts.bytes)\n\(input.lines)\n\(XXH64.text(input.facts.xxh64))")
      // Of an input that was not read to its end another attempt may have read more.
      if let lost = outcome.lost {
        texts.append("\(lost.frame ?? -1)\n\(lost.offset ?? -1)\n\(ledger.lines)\n\(ledger.events)")
      }
    }
    texts += facts.alreadyRead.map { "skipped \($0.path)\n\(XXH64.text($0.facts.xxh64))" }
    return texts.map { Array($0.utf8) }
  }

  /// What its facts are, as its manifest says.
  var factsHash: UInt64 { manifest.files.first { $0.path == RunFiles.facts }?.xxh64 ?? 0 }

  /// Checks that this program has made it.
  ///
  /// - Throws: `usage`, when another version has: that one may have read the same logs differently.
  func check(_ tool: ToolVersion) throws(Failure) { try manifest.check(tool, path: path) }

  /// Opens its keys of one partition, whose names become names of the run.
  ///
  /// - Throws: `corrupt`, when the file is not what the manifest says; `io`.
  func spill(_ partition: Int, names: RunNames) throws(Failure) -> SortedRun {
    let file = try check(RunFiles.spill(partition, of: partitions))
    var events = NameCache(of: names.events)
    var attributes = NameCache(of: names.attributes)
    for name in facts.events { _ = events.id(ofText: name) }
    for name in facts.attributes { _ = attributes.id(ofText: name) }
    return try SortedRun(spill: file.path, partitions: partitions, .partial, system: system)
  }

  /// Its rejects.
  ///
  /// - Throws: `corrupt`, when the file is not what the manifest says; `io`.
  func rejects() throws(Failure) -> FrameFile {
    try FrameFile(try check(RunFiles.rejects).path, doing: Self.doing, system: system)
  }

  /// Checks every file that the manifest lists.
  ///
  /// - Throws: `corrupt`, when one is not what the manifest says; `io`, also when it is missing.
  func checkFiles() throws(Failure) {
    for file in manifest.files { try check(file.path) }
  }

  @discardableResult
  private func check(_ name: String) throws(Failure) -> PositionedFile {
    try manifest.open(name, in: path, doing: Self.doing, system)
  }
}

extension ManifestFile {
  /// Checks that this program has made the partial or partition in the directory `path`.
  ///
  /// - Throws: `usage`, when another version of it or of zstd has: their bytes may be others.
  func check(_ tool: ToolVersion, path: String) throws(Failure) {
    guard self.tool != (tool.version, tool.zstd) else { return }
    throw PartialSet.refusal(
      path,
      "version \(self.tool.version) of eventmill with zstd \(self.tool.zstd) has made it, and "
        + "this is \(tool.version) with \(tool.zstd)",
      "use one version of eventmill for all of a run")
  }

  /// Opens a file of the partial or partition in the directory `path`, which is its own.
  ///
  /// - Throws: `corrupt`, when it does not list the file, or as another one; `io`.
  func open(
    _ name: String, in path: String, doing: String, _ system: System
  ) throws(Failure) -> PositionedFile {
    guard let listed = files.first(where: { $0.path == name }) else {
      throw PartialDirectory.damaged(path, "its manifest does not list \(name)")
    }
    let file = try PositionedFile("\(path)/\(name)", doing: doing, system: system)
    guard file.size == listed.bytes, try file.hash() == listed.xxh64 else {
      throw PartialDirectory.damaged(file.path, "its content is not what the manifest says")
    }
    return file
  }
}

extension NameCache {
  /// The number of a name.
  mutating func id(ofText text: String) -> UInt32 {
    let bytes = ByteBuffer(text: text)
    return id(of: bytes.view)
  }
}
