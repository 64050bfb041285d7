import Pipeline
import Stages

/// The results of ``CollectOptOutsJob`` for all inputs of a night.
struct CollectedOptOuts {
  private static let doing = "reading the opt-outs in"

  private let path: String
  /// All statements of installations that ever opt out.
  private(set) var consents = ConsentHistory()
  /// The files that they were collected from.
  private(set) var sources = OptOutSources()

  /// Reads the collections in the directory `path`, in any order, for a partial with these options.
  init(in path: String, for options: RunOptions, _ control: JobControl) throws(Failure) {
    self.path = path
    let system = control.system
    let expected = options.recorded(.lines)
    var files: [PositionedFile] = []
    // Attempts that are under way, and locks, are hidden.
    for name in try system.names(in: path, doing: Self.doing) where !name.hasPrefix(".") {
      let inner = "\(path)/\(name)"
      let output = try Output(inner, kind: .optOuts, doing: Self.doing, system: system)
      let manifest = output.manifest
      try manifest.check(control.tool, path: inner)
      guard manifest.options == expected else {
        throw Self.refusal(
          inner, "they were collected with other options than those of this partial",
          "use the same reading options for both")
      }
      for input in manifest.inputs where !sources.add(input.path, input.facts) {
        throw Self.refusal(
          inner, "\(input.path) had another content in another collection",
          "collect all opt-outs of the night again")
      }
      files.append(try output.file(RunFiles.optOuts))
    }
    guard !files.isEmpty else {
      throw Self.refusal(
        path, "it contains none", "make them with eventmill cluster partial --collect-opt-outs")
    }
    // Opt-outs first: opt-ins only matter for installations with opt-outs.
    for optOuts in [true, false] { for file in files { try add(file, optOuts: optOuts) } }
    consents.settle()
    try consents.checkCount()
  }

  private mutating func add(_ file: PositionedFile, optOuts: Bool) throws(Failure) {
    try file.read(by: ConsentHistory.recordLength << 15) { records throws(Failure) in
      guard consents.add(records, optOuts: optOuts) else {
        throw OutputKind.optOuts.damaged(
          file.path, "its content does not match its manifest", doing: Self.doing)
      }
      try consents.checkCount()
    }
  }

  /// Checks that opt-outs were collected from everything that a partial of `inputs` continues. The
  /// merge compares contents, and knows all inputs.
  func check(_ inputs: [InputFile], after previous: Manifest?) throws(Failure) {
    if let input = inputs.first(where: { !sources.has($0.path) }) {
      throw missing(input.path, "collect those of all inputs of the night")
    }
    let parts = previous?.stateParts ?? []
    for (number, part) in parts.enumerated() where !sources.has(part.path) {
      throw missing(
        "\(part.path) of the previous output",
        "run: eventmill cluster partial --collect-opt-outs --partition \(number) --previous DIR")
    }
  }

  private func missing(_ name: String, _ advice: String) -> Failure {
    Self.refusal(path, "none were collected from \(name)", advice)
  }

  private static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, path: path, why: why, advice: advice)
  }
}

/// The files that opt-outs were collected from.
struct OptOutSources {
  private var files: [FilePath: FileHash] = [:]

  /// Adds a file; false when it was added with another content.
  mutating func add(_ path: String, _ facts: FileHash) -> Bool {
    files.updateValue(facts, forKey: FilePath(path)).map { $0 == facts } ?? true
  }

  func has(_ path: String) -> Bool { files[FilePath(path)] != nil }

  var hash: UInt64 {
    var hash = XXH64()
    for (path, facts) in files.sorted(by: { $0.key < $1.key }) {
      let text = ByteBuffer(
        text: "\(path.bytes.count)\n\(facts.bytes)\n\(XXH64.text(facts.xxh64))\n")
      hash.update(text.view)
      var name = ByteBuffer()
      name.append(contentsOf: path.bytes)
      hash.update(name.view)
    }
    return hash.digest
  }
}

extension PartialSet {
  /// Checks that the opt-outs honored by the partials were collected from exactly their inputs and
  /// the `previous` output's state.
  func checkOptOuts(after previous: Manifest?) throws(Failure) {
    guard let first = partials.first,
      let made = first.manifest.options[RunOptions.consentSourcesOption]?.text
    else { return }
    var sources = OptOutSources()
    for outcome in facts.outcomes {
      let input = ManifestInput(outcome)
      _ = sources.add(input.path, input.facts)
    }
    for part in previous?.stateParts ?? [] {
      _ = sources.add(part.path, FileHash(bytes: part.bytes, xxh64: part.xxh64))
    }
    guard made != XXH64.text(sources.hash) else { return }
    throw PartialSet.refusal(
      first.path,
      "its opt-outs were not collected from exactly the inputs of these partials and --previous",
      "collect those of all inputs of the night, and of every partition of --previous; then make "
        + "the partials again")
  }
}
