import Pipeline
import Stages

/// A finished partial, as written by ``PartialJob``: a directory with one file.
struct PartialDirectory {
  private static let doing = "reading the partial"

  let path: String
  let manifest: Manifest
  let facts: PartialFacts
  /// XXH64 of the manifest, which contains the facts.
  let xxh64: UInt64
  private let file: String
  private let system: System

  /// Opens the partial in the directory `path`.
  init(_ path: String, system: System) throws(Failure) {
    (self.path, self.system) = (path, system)
    do throws(Failure) {
      file = try Manifest.require(RunFiles.partial, of: .partial, in: path, Self.doing, system)
    } catch {
      // Before version 8 there were several files.
      guard error.kind == .usage,
        try Manifest.kind(of: path, doing: Self.doing, system: system) == .partial
      else { throw error }
      throw Self.damaged(path, "it is not that of a partial of this format")
    }
    guard let whole = try PartialFile(in: path, doing: Self.doing, system: system) else {
      throw Self.damaged(file, "it does not end like a partial")
    }
    let manifest = try Manifest(
      try whole.manifest().root, kind: .partial, path: file, doing: Self.doing)
    guard case .whole(let facts) = manifest.facts else {
      throw Self.damaged(file, "it has no facts")
    }
    (self.manifest, self.facts) = (manifest, facts)
    xxh64 = whole.xxh64
    guard manifest.outputs.count - 1 == partitions,
      start(of: manifest.outputs.count) == whole.range.lowerBound
    else { throw Self.damaged(file, "its parts do not match its manifest") }
  }

  static func damaged(_ path: String, _ why: String) -> Failure {
    OutputKind.partial.damaged(path, why, doing: doing)
  }

  var partitions: Int { manifest.options["partitions"]?.int ?? 0 }

  /// The inputs and options: partials with equal ones are equal. By bytes, because paths that are
  /// equal as characters may be two files.
  var identity: [[UInt8]] {
    var texts = manifest.options.texts
    for (outcome, ledger) in zip(facts.outcomes, facts.tally.ledgers) {
      let input = ManifestInput(outcome)
      texts.append(
        "\(input.path)\n\(input.facts.bytes)\n\(input.lines)\n\(XXH64.text(input.facts.xxh64))")
      // Another attempt may have read more of an input that was not read to its end.
      if let lost = outcome.lost {
        texts.append("\(lost.frame ?? -1)\n\(lost.offset ?? -1)\n\(ledger.lines)\n\(ledger.events)")
      }
    }
    texts += facts.alreadyRead.map { "skipped \($0.path)\n\(XXH64.text($0.facts.xxh64))" }
    return texts.map { Array($0.utf8) }
  }

  var inputs: [String] { facts.outcomes.map(\.file.path) }

  /// Opens its keys of one partition, whose names become names of the run.
  func spill(_ partition: Int, names: RunNames) throws(Failure) -> SortedRun {
    let file = try part(1 + partition, RunFiles.spill(partition, of: partitions))
    var events = NameCache(of: names.events)
    var attributes = NameCache(of: names.attributes)
    for name in facts.events { _ = events.id(ofText: name) }
    for name in facts.attributes { _ = attributes.id(ofText: name) }
    return try SortedRun(spill: file, partitions: partitions, .partial, system: system)
  }

  func rejects() throws(Failure) -> FrameFile { try FrameFile(part(0, RunFiles.rejects)) }

  /// Opens part number `number` of the file, which should be called `name`. With very many partials
  /// the file is not kept open.
  private func part(_ number: Int, _ name: String) throws(Failure) -> PositionedFile {
    let part = manifest.outputs[number].file
    guard part.path == name else {
      throw Self.damaged(file, "its manifest does not list \(name) as part \(number)")
    }
    let start = start(of: number)
    let found = try PositionedFile(file, doing: Self.doing, system: system)
      .window(start..<start + part.bytes)
    guard try found.matches(part) else {
      throw Self.damaged(file, "its content does not match its manifest")
    }
    return found
  }

  /// Offset of a part. The manifest's check guarantees that the lengths can be added.
  private func start(of part: Int) -> Int {
    manifest.outputs[..<part].reduce(0) { $0 + $1.file.bytes }
  }
}

extension Manifest {
  /// Checks that this program has made the partial or partition in the directory `path`.
  /// - Throws: `usage`, when another version of it or of zstd has: that one may have read the same
  ///   logs differently, and the bytes may differ.
  func check(_ tool: ToolVersion, path: String) throws(Failure) {
    guard self.tool != tool.versions else { return }
    throw PartialSet.refusal(
      path,
      "version \(self.tool.version) of eventmill with zstd \(self.tool.zstd) has made it, and "
        + "this is \(tool.version) with \(tool.zstd)",
      "use one version of eventmill for the whole run")
  }
}

extension NameCache {
  mutating func id(ofText text: String) -> UInt32 {
    let bytes = ByteBuffer(text: text)
    return id(of: bytes.view)
  }
}
