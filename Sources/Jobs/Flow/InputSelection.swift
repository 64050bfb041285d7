import Pipeline

/// Which of the inputs found a run reads, and which it skips because an earlier night of its chain
/// has read them.
struct InputSelection {
  /// The action that failures name.
  private static let doing = "comparing with the inputs of earlier nights"

  /// The inputs to read, in the order in which they were found.
  let inputs: [InputFile]
  /// Those that are skipped, in the same order.
  let alreadyRead: [AlreadyRead]
  /// The inputs that earlier nights have read.
  let earlier: InputHistory

  /// Selects all of `inputs`: nothing was read before.
  init(all inputs: [InputFile]) { self.init(all: inputs, earlier: InputHistory([])) }

  /// Selects all of `inputs`, which other processes have read after `earlier` nights; these skipped
  /// `alreadyRead`.
  ///
  /// - Throws: `usage`, when an earlier night has read one of them: it is too late to skip it.
  init(
    inputs: [InputOutcome], alreadyRead: [AlreadyRead], earlier: ManifestFile?, reingest: Bool
  ) throws(Failure) {
    self.init(
      all: inputs.map(\.file), alreadyRead: alreadyRead,
      earlier: earlier.map(InputHistory.init) ?? InputHistory([]))
    if reingest, let first = alreadyRead.first {
      throw Failure(
        .usage, doing: InputSelection.doing, path: first.path,
        why: "its partial skipped it, but --reingest requires reading it",
        advice: "make the partial with --reingest, too")
    }
    guard !reingest else { return }
    for input in inputs {
      guard let summary = input.summary else { continue }
      let facts = FileHash(bytes: summary.compressedBytes, xxh64: summary.hash)
      guard let same = self.earlier.input(facts) else { continue }
      throw Failure(
        .usage, doing: InputSelection.doing, path: input.file.path,
        why: "an earlier night has read the same content, as \(same.path)",
        advice: "make the partial with --previous, which skips it, or use --reingest")
    }
  }

  /// Selects all of `inputs` after `earlier` nights; `alreadyRead` were skipped.
  init(all inputs: [InputFile], alreadyRead: [AlreadyRead] = [], earlier: InputHistory) {
    self.inputs = inputs
    self.alreadyRead = alreadyRead
    self.earlier = earlier
  }

  /// Compares `found` with the inputs of the previous nights.
  ///
  /// Only a file with the length of a known input is read, whole, and hashed. A file that cannot be
  /// read is selected: the run reports it when its turn comes.
  ///
  /// - Parameter reingest: whether everything is read, regardless of earlier nights.
  /// - Throws: the failure that the job was cancelled with.
  init(
    _ found: [InputFile], earlier: InputHistory, reingest: Bool, control: JobControl,
    hash: (InputFile) throws(Failure) -> FileHash? = { _ in nil }
  ) throws(Failure) {
    self.earlier = earlier
    guard !reingest else {
      inputs = found
      alreadyRead = []
      return
    }
    var inputs: [InputFile] = []
    var alreadyRead: [AlreadyRead] = []
    for file in found {
      guard file.isReopenable, let size = file.size, earlier.hasInput(ofBytes: size),
        let facts = try hash(file), let same = earlier.input(facts)
      else {
        inputs.append(file)
        continue
      }
      alreadyRead.append(AlreadyRead(path: file.path, facts: facts, earlier: same.path))
    }
    self.inputs = inputs
    self.alreadyRead = alreadyRead
    control.expect(inputs)
  }

  /// Compares `found` with the inputs of the chain that ends with `previous`.
  ///
  /// - Throws: the failure that the job was cancelled with.
  init(
    _ found: [InputFile], previous: ManifestFile?, reingest: Bool, control: JobControl
  ) throws(Failure) {
    try self.init(
      found, earlier: previous.map(InputHistory.init) ?? InputHistory([]),
      reingest: reingest, control: control,
      hash: { file throws(Failure) in try InputSelection.hash(file, control: control) })
  }

  /// Length and hash of a file; nil when it cannot be read.
  private static func hash(
    _ file: InputFile, control: JobControl
  ) throws(Failure) -> FileHash? {
    do throws(Failure) {
      return try FileHash(of: file.path, doing: doing) { _ throws(Failure) in try control.check() }
    } catch {
      try control.check()
      return nil
    }
  }
}
