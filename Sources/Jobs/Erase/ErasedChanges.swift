import Pipeline
import Stages

/// Copies the changes of an output without erased people: lines of profiles that the copy does not
/// have go, those of profiles that have less in it have what is left.
struct ErasedChanges {
  private let source: Output
  private let erasures: Erasures
  private let control: JobControl

  /// The changes of `source` without the people and installations in `erasures`.
  init(of source: Output, without erasures: Erasures, control: JobControl) {
    (self.source, self.erasures, self.control) = (source, erasures, control)
  }

  /// Writes them into `folder`, which has all parts of the copy.
  /// - Throws: `corrupt`, `io`; the failure that the job was cancelled with.
  func write(to folder: StagedFolder, level: Int) throws(Failure) {
    for part in 0..<source.partitions { try write(part, to: folder, level) }
  }

  private func write(
    _ part: Int, to folder: StagedFolder, _ level: Int
  ) throws(Failure) {
    let partitions = source.partitions
    let file = try FrameFile(
      source.file(RunFiles.part(part, of: partitions, in: RunFiles.changes)))
    let writer = try ChangeWriter(part, of: partitions, in: folder, level: level)
    var walk = try ProfileWalk(
      [source.part(part)], [SortedRun(part, of: partitions, in: folder)])
    var difference = try walk.next()
    let tape = Tape(numbersNames: false)
    var key = ByteBuffer()
    try control.forEachLine(of: file) { text, line, frame throws(Failure) in
      tape.bind(to: text)
      guard let change = ChangeLine(text[line]), change.readKey(of: line, tape, into: &key) else {
        throw file.file.damaged("a line is not a change of a profile", frame: frame)
      }
      while difference != nil, let other = walk.key, other < key.view {
        difference = try walk.next()
      }
      if difference != nil, walk.key == key.view {
        guard let left = difference?.new else { return }
        // An installation whose person was erased has a profile of its own again.
        let kind = change.kind == .removed ? .changed : change.kind
        try writer.append(ChangeLine(kind, line: left))
      } else if change.kind != .removed || erasures.mark(of: key.view) == nil {
        try writer.append(change)
      }
    }
    try writer.finish()
  }
}
