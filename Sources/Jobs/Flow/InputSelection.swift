import Pipeline

/// Which of the inputs found a run reads, and from where: each content once, however it is named
/// and compressed, and none that an earlier night of its chain has read.
struct InputSelection {
  /// In the order in which they were found.
  fileprivate(set) var inputs: [InputFile]
  /// Those that are skipped, in the same order.
  fileprivate(set) var alreadyRead: [AlreadyRead]
  /// Inputs to read that begin with all that an earlier night has read under another name.
  fileprivate(set) var overlapping: [RepeatedInput] = []
  /// Inputs with the first line of what an earlier night has read under the same name, but no
  /// longer with all of it; they are in neither list.
  fileprivate(set) var changed: [(path: String, earlier: ContentFacts)] = []
  let earlier: InputHistory

  /// Selects all of `inputs` after `earlier` nights; `alreadyRead` were skipped.
  init(
    all inputs: [InputFile], alreadyRead: [AlreadyRead] = [],
    earlier: InputHistory = InputHistory([])
  ) { (self.inputs, self.alreadyRead, self.earlier) = (inputs, alreadyRead, earlier) }

  /// Selects all of `inputs`, which other processes have read after `earlier` nights.
  init(
    inputs: [InputOutcome], alreadyRead: [AlreadyRead], earlier: Manifest?, reingest: Bool
  ) throws(Failure) {
    self.init(
      all: inputs.map(\.file), alreadyRead: alreadyRead,
      earlier: earlier.map(InputHistory.init) ?? InputHistory([]))
    guard reingest else {
      try check(inputs)
      return
    }
    let skipped = alreadyRead.map(\.path) + self.inputs.filter { $0.start != nil }.map(\.path)
    if let first = skipped.first {
      throw Self.refusal(
        first, "its partial skipped what was read before, but --reingest requires reading it",
        "make the partial with eventmill cluster partial --reingest, too")
    }
  }

  /// Compares `found`, sorted by path, with each other and with the inputs of the chain that ends
  /// with `previous`, unless it shall `reingest`. The content is read only of those with the first
  /// line of another one. One that cannot be read is selected: the run reports it when its turn
  /// comes.
  init(
    _ found: [InputFile], previous: Manifest?, reingest: Bool, control: JobControl
  ) throws(Failure) {
    let earlier = previous.map(InputHistory.init) ?? InputHistory([])
    self.init(all: found, earlier: earlier)
    if reingest || found.count <= 1 && earlier.inputs.isEmpty { return }
    inputs = []
    try InputComparison(found, earlier, control).decide(into: &self, control)
    control.expect(inputs)
  }

  /// Prepares the inputs for being read twice.
  mutating func noteStates(_ system: System) {
    for index in inputs.indices where inputs[index].seen == nil && inputs[index].isReopenable {
      // One that is missing is reported when its turn comes.
      inputs[index].seen = try? system.status(of: inputs[index].path, doing: "inspecting")
    }
  }

  /// Checks that no input has changed what an earlier night has read of it.
  func checkUnchanged() throws(Failure) {
    guard let first = changed.first else { return }
    throw Self.refusal(
      first.path,
      "it still has the first line, but no longer all of the \(NumberFormat.count(first.earlier.bytes, "byte")) that "
        + "an earlier night has read under this name",
      "restore it", "rename it to have all of it read", "use --reingest to have all of it read")
  }

  /// Checks that nothing was read twice: by this run, by two partials, or by an earlier night.
  func check(_ outcomes: [InputOutcome]) throws(Failure) {
    if let copy = RepeatedInput.among(outcomes).first {
      throw Self.refusal(
        copy.path, "it has the same content as \(copy.first), which was read, too",
        "leave one of them out", "use --reingest to count both")
    }
    var read: [ContentFacts: String] = [:]
    for outcome in outcomes {
      if let content = outcome.content, content.hasLines { read[content] = outcome.file.path }
    }
    var known = Set(outcomes.compactMap(\.summary?.content))
    for input in earlier.inputs {
      guard let content = input.content else { continue }
      known.insert(content)
      if let path = read[content] {
        throw Self.refusal(
          path, "an earlier night has read the same content, as \(input.readAs)",
          "leave it out; for a partial, eventmill cluster partial --previous does",
          "use --reingest to count it again")
      }
    }
    let paths = PathContents(earlier.inputs) { _ in true }
    for outcome in outcomes where outcome.file.isReopenable {
      let path = outcome.file.path
      if let start = outcome.file.start {
        guard !paths.likely(path).contains(where: { start.isBehind($0.content) }) else { continue }
        throw Self.refusal(
          path, "its partial has left out a beginning that is not what an earlier night has read",
          "make the partial with eventmill cluster partial --previous, with the same output")
      }
      guard paths.own(path, firstLine: outcome.known?.firstLine) != nil else { continue }
      throw Self.refusal(
        path, "an earlier night has read its beginning under the same name",
        "make the partial with eventmill cluster partial --previous, which reads only what is new",
        "use --reingest to count all of it")
    }
    if let skipped = alreadyRead.first(where: { !known.contains($0.content) }) {
      throw Self.refusal(
        skipped.path, "its partial skipped it as a copy of \(skipped.earlier), which was not read",
        "make the partial with eventmill cluster partial --previous, with the same output")
    }
  }

  fileprivate static func refusal(_ path: String, _ why: String, _ advice: String...) -> Failure {
    Failure(.usage, doing: "comparing with other inputs", path: path, why: why, advice: advice)
  }
}

/// The contents of paths, according to the inputs of earlier nights.
private struct PathContents {
  private var byStem: [FilePath: [ManifestInput]] = [:]

  init(_ inputs: [ManifestInput], isWanted: (UInt64) -> Bool) {
    for input in inputs where !input.isSuperseded {
      guard let line = input.content?.firstLine, isWanted(line) else { continue }
      byStem[InputFile.stem(of: input.path), default: []].append(input)
    }
  }

  func own(_ path: String, firstLine: UInt64?) -> ManifestInput? {
    likely(path).first {
      firstLine != nil && $0.content?.firstLine == firstLine
        && $0.path.utf8.elementsEqual(path.utf8)
    }
  }

  /// The contents of the path with any first line, also under another compression.
  func likely(_ path: String) -> [ManifestInput] { byStem[InputFile.stem(of: path)] ?? [] }
}

extension InputStart {
  /// Whether it is the beginning of what follows this content.
  fileprivate func isBehind(_ content: ContentFacts?) -> Bool {
    content.map { $0.bytes == known && $0.xxh64 == hash } ?? false
  }
}

/// Compares inputs with each other and with those of earlier nights, before a run.
private struct InputComparison {
  /// An input whose first line can be read.
  private struct Candidate {
    let file: InputFile
    let firstLine: UInt64
    /// The length of its content, if it is known without reading it.
    let bytes: Int?
    /// The earlier content of the path.
    var own: ManifestInput?
    /// The same, and what it had under another compression.
    var likely: [ManifestInput] = []
    var scan: ContentScan?

    /// Where to go on reading: behind all that the path had; under another compression, behind the
    /// longest content that it begins with.
    var start: InputStart? {
      let beginnings = scan?.beginnings.reversed() ?? []
      let bases = own.map { [$0] } ?? likely
      return beginnings.first { start in bases.contains { $0.content == start.content } }?.start
    }

    /// Whether it no longer has what the path had.
    var isChanged: Bool {
      guard let own, let scan else { return false }
      // One that cannot be read now may be whole.
      return scan.content != own.content && start == nil && scan.fault?.kind != .io
    }
  }

  /// Candidates that may have the same content.
  private struct Alike: Hashable {
    let firstLine: UInt64
    let bytes: Int?
  }

  private let found: [InputFile]
  private var candidates: [Int: Candidate] = [:]
  /// Under which path earlier nights have read each content with the first line of a candidate.
  private var readAs: [ContentFacts: String] = [:]

  init(_ found: [InputFile], _ earlier: InputHistory, _ control: JobControl) throws(Failure) {
    self.found = found
    var alike: [Alike: Int] = [:]
    var sameLine: [UInt64: Int] = [:]
    for (index, file) in found.enumerated() where file.isReopenable {
      try control.check()
      guard let line = try? ContentScan.firstLine(of: file, system: control.system)
      else { continue }
      candidates[index] = Candidate(file: file, firstLine: line.hash, bytes: line.bytes)
      alike[Alike(firstLine: line.hash, bytes: line.bytes), default: 0] += 1
      sameLine[line.hash, default: 0] += 1
    }
    let paths = PathContents(earlier.inputs) { sameLine[$0] != nil }
    var known: [UInt64: [(content: ContentFacts, isCut: Bool)]] = [:]
    for input in earlier.inputs {
      guard let content = input.content, sameLine[content.firstLine] != nil else { continue }
      known[content.firstLine, default: []].append((content, input.isCut))
      if readAs[content] == nil || input.earlier == nil { readAs[content] = input.readAs }
    }
    let contents = known.mapValues { KnownContents($0) }
    for index in found.indices {
      guard var candidate = candidates[index] else { continue }
      let line = candidate.firstLine
      candidate.own = paths.own(candidate.file.path, firstLine: line)
      candidate.likely = paths.likely(candidate.file.path).filter { $0.content?.firstLine == line }
      let known = contents[line] ?? KnownContents([])
      let hasRival =
        candidate.bytes.map { bytes in
          alike[Alike(firstLine: line, bytes: bytes), default: 0] > 1
            || alike[Alike(firstLine: line, bytes: nil)] != nil
        } ?? (sameLine[line, default: 0] > 1)
      if hasRival || candidate.own != nil || known.mayBegin(candidate.bytes ?? .max) {
        candidate.scan = try ContentScan(
          candidate.file, known: known, needed: candidate.likely.compactMap(\.content?.bytes),
          system: control.system
        ) { () throws(Failure) in try control.check() }
      }
      candidates[index] = candidate
    }
  }

  func decide(into selection: inout InputSelection, _ control: JobControl) throws(Failure) {
    let firsts = firsts()
    for (index, file) in found.enumerated() {
      guard let candidate = candidates[index], let scan = candidate.scan else {
        selection.inputs.append(file)
        continue
      }
      if let own = candidate.own?.content, candidate.isChanged {
        selection.changed.append((file.path, own))
        continue
      }
      if let content = scan.content, content.hasLines {
        var same = readAs[content]
        if same == nil, let first = firsts[content], first != index {
          same = found[first].path
          try compare(found[first], file, control)
        }
        if let same {
          selection.alreadyRead.append(
            AlreadyRead(path: file.path, facts: scan.file, content: content, earlier: same))
          continue
        }
      }
      var file = file
      file.start = candidate.start
      // One that changed meanwhile is read as it is then, unless its beginning is known.
      if scan.fault?.kind != .io || file.start != nil { file.seen = scan.seen }
      selection.inputs.append(file)
      if file.start == nil, let path = scan.beginnings.compactMap({ readAs[$0.content] }).last {
        selection.overlapping.append(RepeatedInput(path: file.path, first: path))
      }
    }
  }

  /// Checks that two inputs of this run whose contents have one hash are equal.
  private func compare(
    _ first: InputFile, _ second: InputFile, _ control: JobControl
  ) throws(Failure) {
    let isSame = try ContentScan.haveSameContent(first, second, system: control.system) {
      () throws(Failure) in try control.check()
    }
    if isSame { return }
    throw InputSelection.refusal(
      second.path, "its content has the hash of that of \(first.path), but is another",
      "run again if one of them was being written, or change a blank in one", "use --reingest")
  }

  /// For each content the input that is read: the first one that has grown, so that its beginning
  /// does not count again, else the first one.
  private func firsts() -> [ContentFacts: Int] {
    var firsts: [ContentFacts: (index: Int, isGrown: Bool)] = [:]
    for index in found.indices {
      guard let candidate = candidates[index], let content = candidate.scan?.content,
        !candidate.isChanged
      else { continue }
      let isGrown = candidate.start != nil
      if let first = firsts[content], first.isGrown || !isGrown { continue }
      firsts[content] = (index, isGrown)
    }
    return firsts.mapValues(\.index)
  }
}
