import Pipeline

/// Which of the inputs found a run reads, and from where: each content once, however it is named
/// and compressed, and none that an earlier night of its chain has read.
struct InputSelection {
  /// The action that failures name.
  private static let doing = "comparing with other inputs"

  /// The inputs to read, in the order in which they were found.
  let inputs: [InputFile]
  /// Those that are skipped, in the same order.
  let alreadyRead: [AlreadyRead]
  /// Inputs to read that begin with all that an earlier night has read under another name.
  private(set) var overlapping: [RepeatedInput] = []
  /// Inputs with the first line of what an earlier night has read under the same name, but no
  /// longer with all of it; they are in neither list.
  private(set) var changed: [(path: String, earlier: ContentFacts)] = []
  /// The inputs that earlier nights have read.
  let earlier: InputHistory

  /// Selects all of `inputs`: nothing was read before.
  init(all inputs: [InputFile]) { self.init(all: inputs, earlier: InputHistory([])) }

  /// Selects all of `inputs`, which other processes have read after `earlier` nights; these skipped
  /// `alreadyRead`.
  ///
  /// - Throws: `usage`, when it is too late to read each content once.
  init(
    inputs: [InputOutcome], alreadyRead: [AlreadyRead], earlier: ManifestFile?, reingest: Bool
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
      throw Failure(
        .usage, doing: InputSelection.doing, path: first,
        why: "its partial skipped what was read before, but --reingest requires reading it",
        advice: "make the partial with --reingest, too")
    }
  }

  /// Selects all of `inputs` after `earlier` nights; `alreadyRead` were skipped.
  init(all inputs: [InputFile], alreadyRead: [AlreadyRead] = [], earlier: InputHistory) {
    self.inputs = inputs
    self.alreadyRead = alreadyRead
    self.earlier = earlier
  }

  /// Compares `found`, sorted by path, with each other and with the inputs of the chain that ends
  /// with `previous`.
  ///
  /// Of each input the first line is read; the content only of those with the first line of another
  /// one. An input that cannot be read is selected: the run reports it when its turn comes.
  ///
  /// - Parameter reingest: whether everything is read, regardless of what was read before.
  /// - Throws: the failure that the job was cancelled with.
  init(
    _ found: [InputFile], previous: ManifestFile?, reingest: Bool, control: JobControl
  ) throws(Failure) {
    let earlier = previous.map(InputHistory.init) ?? InputHistory([])
    guard !reingest, found.count > 1 || !earlier.inputs.isEmpty else {
      self.init(all: found, earlier: earlier)
      return
    }
    let decided = try InputComparison(found, earlier, control).decide()
    self.init(all: decided.inputs, alreadyRead: decided.skipped, earlier: earlier)
    (overlapping, changed) = (decided.overlapping, decided.changed)
    control.expect(inputs)
  }

  /// Checks that no input has changed what an earlier night has read of it.
  ///
  /// - Throws: `usage`, when one has.
  func checkUnchanged() throws(Failure) {
    guard let first = changed.first else { return }
    throw Failure(
      .usage, doing: InputSelection.doing, path: first.path,
      why:
        "it still has the first line, but no longer all of the \(first.earlier.bytes) bytes that "
        + "an earlier night has read under this name",
      advice: "restore it; under another name, or with --reingest, all of it is read")
  }

  /// Checks that inputs that were read have not been read twice: by this run, for example through
  /// a pipe, by two of its partials, or by an earlier night.
  ///
  /// - Throws: `usage`, when one has.
  func check(_ outcomes: [InputOutcome]) throws(Failure) {
    var read: [ContentFacts: String] = [:]
    var byStem: [[UInt8]: InputOutcome] = [:]
    for outcome in outcomes {
      guard let content = outcome.content, content.hasLines else { continue }
      let path = outcome.file.path
      if let first = read.updateValue(path, forKey: content) {
        throw refusal(
          path, "it has the same content as \(first), which was read, too",
          "leave one of them out, or use --reingest to count both")
      }
      if outcome.file.isReopenable { byStem[InputFile.stem(of: path)] = outcome }
    }
    var missing = Set(alreadyRead.map(\.content).filter { read[$0] == nil })
    for input in earlier.inputs {
      guard let content = input.content else { continue }
      missing.remove(content)
      if let path = read[content] {
        throw refusal(
          path, "an earlier night has read the same content, as \(input.readAs)",
          "leave it out, as a partial with --previous does, or use --reingest to count it again")
      }
      let stem = InputFile.stem(of: input.path)
      guard let outcome = byStem[stem] else { continue }
      if let start = outcome.file.start {
        if start.known == content.bytes { byStem[stem] = nil }
      } else if outcome.content?.firstLine == content.firstLine {
        throw refusal(
          input.path, "an earlier night has read its beginning under the same name",
          "make the partial with --previous: then only what is new is read; or use --reingest")
      }
    }
    let advice = "make the partial with the same --previous"
    if let skipped = alreadyRead.first(where: { missing.contains($0.content) }) {
      throw refusal(
        skipped.path, "its partial skipped it as a copy of \(skipped.earlier), which was not read",
        advice)
    }
    let unknown = byStem.values.filter { $0.file.start != nil }.map(\.file.path)
    if let path = unknown.sortedByBytes.first {
      throw refusal(
        path, "its partial has left out a beginning that no earlier night has read", advice)
    }
  }

  private func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: InputSelection.doing, path: path, why: why, advice: advice)
  }
}

/// Compares inputs with each other and with those of earlier nights, before a run.
private struct InputComparison {
  /// The result.
  struct Decided {
    var inputs: [InputFile] = []
    var skipped: [AlreadyRead] = []
    var overlapping: [RepeatedInput] = []
    var changed: [(path: String, earlier: ContentFacts)] = []
  }

  /// An input whose first line can be read.
  private struct Candidate {
    let file: InputFile
    let firstLine: UInt64
    /// The length of its content, if it is known without reading it.
    let bytes: Int?
    var scan: ContentScan?

    /// Where to go on reading, if it begins with all that earlier nights have read of it: the
    /// longest of the contents of `own`.
    func start(after own: [ManifestInput]) -> InputStart? {
      guard let longest = InputComparison.longest(own) else { return nil }
      return scan?.beginnings.first { $0.content == longest }?.start
    }

    /// The longest of the contents of `inputs` that it begins with.
    func beginning(among inputs: [ManifestInput]) -> ManifestInput? {
      for beginning in scan?.beginnings.reversed() ?? [] {
        let input = inputs.first { $0.content == beginning.content }
        if let input { return input }
      }
      return nil
    }
  }

  /// Candidates that may have the same content.
  private struct Alike: Hashable {
    let firstLine: UInt64
    let bytes: Int?
  }

  private let found: [InputFile]
  /// By the index of the input.
  private var candidates: [Int: Candidate] = [:]
  /// What earlier nights have read with the first line of a candidate: by first line, and by path
  /// without the suffix of a compression.
  private var known: [UInt64: [ManifestInput]] = [:]
  private var byStem: [[UInt8]: [ManifestInput]] = [:]

  init(_ found: [InputFile], _ earlier: InputHistory, _ control: JobControl) throws(Failure) {
    self.found = found
    var alike: [Alike: Int] = [:]
    var sameLine: [UInt64: Int] = [:]
    for (index, file) in found.enumerated() where file.isReopenable {
      try control.check()
      guard let line = ContentScan.firstLine(of: file, system: control.system) else { continue }
      candidates[index] = Candidate(file: file, firstLine: line.hash, bytes: line.bytes)
      alike[Alike(firstLine: line.hash, bytes: line.bytes), default: 0] += 1
      sameLine[line.hash, default: 0] += 1
      known[line.hash] = []
    }
    for input in earlier.inputs {
      guard let firstLine = input.content?.firstLine, known[firstLine] != nil else { continue }
      known[firstLine]?.append(input)
      byStem[InputFile.stem(of: input.path), default: []].append(input)
    }
    for index in found.indices {
      guard let candidate = candidates[index] else { continue }
      func rivals(_ bytes: Int?) -> Int {
        alike[Alike(firstLine: candidate.firstLine, bytes: bytes)] ?? 0
      }
      let lengths = (known[candidate.firstLine] ?? []).compactMap(\.content).filter { content in
        candidate.bytes.map { content.bytes <= $0 } ?? true
      }
      let hasRival =
        candidate.bytes == nil
        ? sameLine[candidate.firstLine, default: 0] > 1
        : rivals(candidate.bytes) > 1 || rivals(nil) > 0
      guard hasRival || !lengths.isEmpty || !own(candidate).isEmpty else { continue }
      candidates[index]?.scan = try ContentScan(
        candidate.file, known: lengths, system: control.system
      ) { () throws(Failure) in try control.check() }
    }
  }

  /// What earlier nights have read under the same path, compressed or not, with the same first
  /// line.
  private func own(_ candidate: Candidate) -> [ManifestInput] {
    (byStem[InputFile.stem(of: candidate.file.path)] ?? []).filter {
      $0.content?.firstLine == candidate.firstLine
    }
  }

  func decide() -> Decided {
    var decided = Decided()
    let firsts = firsts()
    for (index, file) in found.enumerated() {
      guard let candidate = candidates[index], let scan = candidate.scan else {
        decided.inputs.append(file)
        continue
      }
      let own = own(candidate)
      if let content = scan.content, content.hasLines,
        let same = earlierPath(candidate) ?? first(firsts[content], unless: index)
      {
        decided.skipped.append(
          AlreadyRead(path: file.path, facts: scan.file, content: content, earlier: same))
      } else if let start = candidate.start(after: own) {
        var file = file
        file.start = start
        decided.inputs.append(file)
      } else if scan.content != nil, let changed = Self.longest(own) {
        decided.changed.append((file.path, changed))
      } else {
        decided.inputs.append(file)
        let other = candidate.beginning(among: known[candidate.firstLine] ?? [])
        if let other {
          decided.overlapping.append(RepeatedInput(path: file.path, first: other.readAs))
        }
      }
    }
    return decided
  }

  private static func longest(_ inputs: [ManifestInput]) -> ContentFacts? {
    inputs.compactMap(\.content).max { $0.bytes < $1.bytes }
  }

  /// Where an earlier night has read the content: under the same path, if under several.
  private func earlierPath(_ candidate: Candidate) -> String? {
    let same = (known[candidate.firstLine] ?? []).filter { $0.content == candidate.scan?.content }
    let path = candidate.file.path
    return same.first { $0.path.utf8.elementsEqual(path.utf8) && $0.earlier == nil }?.path
      ?? same.first { $0.earlier == nil }?.path ?? same.first?.earlier
  }

  private func first(_ first: Int?, unless index: Int) -> String? {
    first.flatMap { $0 == index ? nil : found[$0].path }
  }

  /// For each content the input that is read: the first one whose beginning an earlier night has
  /// read, so that it does not count again, else the first one.
  private func firsts() -> [ContentFacts: Int] {
    var firsts: [ContentFacts: (index: Int, isGrown: Bool)] = [:]
    for index in found.indices {
      guard let candidate = candidates[index], let content = candidate.scan?.content else {
        continue
      }
      let own = own(candidate)
      let isGrown = candidate.start(after: own) != nil
      // One that has changed is not read.
      guard isGrown || own.isEmpty else { continue }
      if let first = firsts[content], first.isGrown || !isGrown { continue }
      firsts[content] = (index, isGrown)
    }
    return firsts.mapValues(\.index)
  }
}
