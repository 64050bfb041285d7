import Pipeline
import Stages

extension Output {
  /// Writes the changes of a copy without erased people, which has all of its parts in `folder`:
  /// those of this output, and what differs between both. They are what a night with these
  /// requests would have written, with two exceptions. A profile that the erasure leaves as it was
  /// before the night is listed as changed, as where all new events came from an erased
  /// installation. One that the night itself has erased, and that has data again, is listed as
  /// added.
  func writeErasedChanges(
    to folder: StagedFolder, level: Int, _ control: JobControl
  ) throws(Failure) {
    for part in 0..<partitions {
      let copy = try CopiedPart(part, of: self, in: folder, level: level)
      let file = try FrameFile(
        self.file(RunFiles.part(part, of: partitions, in: RunFiles.changes)))
      let tape = Tape(numbersNames: false)
      var key = ByteBuffer()
      try control.forEachLine(of: file) { text, line, frame throws(Failure) in
        tape.bind(to: text)
        guard let change = ChangeLine(text[line]), change.readKey(of: line, tape, into: &key) else {
          throw file.file.damaged("a line is not a change of a profile", frame: frame)
        }
        try copy.take(change, of: key.view)
      }
      try copy.finish()
    }
  }
}

/// A part of a copy, next to that of its source.
private final class CopiedPart {
  private let writer: ChangeWriter
  private let new: SortedRun
  private let states: RunCursor
  private var walk: ProfileWalk
  /// The next profile that differs in both.
  private var difference: ProfileWalk.Difference?

  init(_ part: Int, of source: Output, in folder: StagedFolder, level: Int) throws(Failure) {
    writer = try ChangeWriter(
      part, of: source.partitions, source.manifest.stitch, in: folder, level: level)
    new = try SortedRun(part, of: source.partitions, in: folder)
    states = try RunCursor(names: RunNames())
    walk = try ProfileWalk([source.part(part)], [new])
    difference = try walk.next()
  }

  /// Writes a change of the source, as far as it is one of the copy, and what differs before it.
  func take(_ change: ChangeLine, of key: ByteView) throws(Failure) {
    try writeDifferences(before: key)
    let isDifferent = difference != nil && walk.key == key
    if isDifferent, let left = difference?.new {
      // What was gone before the night's erasure is there again.
      try writer.append(ChangeLine(change.kind == .removed ? .changed : change.kind, line: left))
    } else if isDifferent || change.kind == .removed {
      if change.kind != .added { try writer.append(gone: key, if: states.find(key, in: new)) }
    } else {
      try writer.append(change)
    }
    if isDifferent { difference = try walk.next() }
  }

  /// Writes what is left.
  func finish() throws(Failure) {
    try writeDifferences(before: nil)
    try writer.finish()
  }

  /// Writes the differences without a change in the source, whose profiles were as they are there:
  /// those before a key, or all.
  private func writeDifferences(before end: ByteView?) throws(Failure) {
    while let difference {
      guard let key = walk.key else { preconditionFailure("a difference has a key") }
      if let end, key >= end { return }
      try writer.append(difference, of: key, states, in: new)
      self.difference = try walk.next()
    }
  }
}
