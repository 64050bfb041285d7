import Pipeline

/// The files of an output during verification: which are listed, how each compares with its entry
/// in the manifest, and all problems.
struct VerifiedFiles {
  let output: String
  let jobs: Int
  let control: JobControl

  var problems = ProblemList()
  /// Uses of the bytes of absent ids as something else.
  var elsewhere: [AbsentElsewhere] = []
  /// Files that were read, of those that the manifest lists.
  private(set) var count = 0
  private(set) var bytes = 0
  private var listed: [FilePath: WrittenFile] = [:]
  /// Those that a check has read, or could not read.
  private var checked: Set<FilePath> = []

  init(output: String, jobs: Int, control: JobControl) {
    (self.output, self.jobs, self.control) = (output, jobs, control)
  }

  /// Registers the files that are listed and exist: they are read next.
  mutating func expect(_ files: [WrittenFile]) {
    listed = Dictionary(files.map { (FilePath($0.path), $0) }) { first, _ in first }
    control.expect(files.map { InputFile(path: $0.path, size: $0.bytes) })
  }

  /// The entry of the file `path` in the manifest; nil when it is not listed, or does not exist.
  subscript(path: String) -> WrittenFile? { listed[FilePath(path)] }

  /// Compares a file that was read with its entry in the manifest.
  mutating func compare(_ path: String, _ facts: FileHash, lines: Int?) {
    guard let file = self[path] else { return }
    count += 1
    bytes += facts.bytes
    if facts.bytes != file.bytes { problems.add(path, .otherBytes, facts.bytes, file.bytes) }
    if let lines, lines != file.lines { problems.add(path, .otherLines, lines, file.lines) }
    if facts.xxh64 != file.xxh64 {
      problems.add(path, .otherHash, XXH64.text(facts.xxh64), XXH64.text(file.xxh64))
    }
  }

  /// Compares the listed files that no other check has read with their entries.
  mutating func compareOthers() throws(Failure) {
    let others = listed.filter { !checked.contains($0.key) }.values.map(\.path)
    for path in others.sortedByBytes {
      _ = try attempt(path) { this throws(Failure) in
        var lines = 0
        let facts = try FileHash(of: "\(this.output)/\(path)", doing: FrameWalk.doing) { piece in
          lines += NewlineScan(piece).count
        }
        this.compare(path, facts, lines: path.hasSuffix(".zst") ? nil : lines)
      }
    }
  }

  mutating func markChecked(_ path: String) { checked.insert(FilePath(path)) }

  /// Reports a file that cannot be read as a problem, and continues; a cancelled job does not.
  /// - Throws: the failure that the job was cancelled with; `limit`, which concerns the process,
  ///   not the file.
  mutating func attempt<Value>(
    _ path: String, _ body: (inout VerifiedFiles) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    markChecked(path)
    do throws(Failure) {
      return try body(&self)
    } catch {
      try control.check()
      if error.kind == .limit { throw error }
      problems.add(path, frame: error.frame, line: error.line, .unreadable, error.why)
      return nil
    }
  }

  /// Walks a compressed file and compares it with its entry. Nil when not all of it could be read;
  /// then its counts mean nothing.
  mutating func walk<Check: FrameCheck>(
    _ path: String, _ lanes: [Exclusive<FrameLane<Check>>], index: Exclusive<IndexCheck>? = nil
  ) throws(Failure) -> FrameWalk.Outcome? {
    guard self[path] != nil else { return nil }
    let outcome = try attempt(path) { this throws(Failure) in
      try FrameWalk(output: this.output, path: path, control: this.control)
        .run(lanes, index: index, problems: &this.problems)
    }
    guard let outcome else { return nil }
    compare(path, outcome.facts, lines: outcome.isComplete ? outcome.lines : nil)
    return outcome.isComplete ? outcome : nil
  }

  /// Compares a listed file with its entry, and its text with what `write` writes again.
  mutating func compare(
    _ path: String, or code: ProblemCode = .otherThanState,
    _ write: ((ByteView) throws(Failure) -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    guard let file = self[path] else { return }
    _ = try attempt(path) { this throws(Failure) in
      let text = try TextComparison(
        InputFile(path: "\(this.output)/\(path)", size: file.bytes),
        position: this.control.position)
      try write(text.take)
      let read = try text.end()
      this.compare(path, FileHash(bytes: read.compressedBytes, xxh64: read.hash), lines: read.lines)
      if text.differs { this.problems.add(path, line: text.line, code) }
    }
  }
}
