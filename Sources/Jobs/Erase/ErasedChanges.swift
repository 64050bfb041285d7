import Pipeline
import Stages

/// Writes the changes of a copy without erased people: those of its source, and what differs
/// between both. They are what a night with these requests would have written, with two exceptions.
/// A profile that the erasure leaves as it was before the night is listed as changed, as where all
/// new events came from an erased installation. One that the night itself has erased, and that has
/// data again, is listed as added.
struct ErasedChanges {
  private let source: Output
  private let control: JobControl

  init(of source: Output, control: JobControl) { (self.source, self.control) = (source, control) }

  /// Writes them into `folder`, which has all parts of the copy.
  func write(to folder: StagedFolder, level: Int) throws(Failure) {
    for part in 0..<source.partitions {
      let copy = try CopiedPart(part, of: source, in: folder, level: level)
      try write(part, copy)
      try copy.finish()
    }
  }

  private func write(_ part: Int, _ copy: CopiedPart) throws(Failure) {
    let file = try FrameFile(
      source.file(RunFiles.part(part, of: source.partitions, in: RunFiles.changes)))
    let tape = Tape(numbersNames: false)
    var key = ByteBuffer()
    try control.forEachLine(of: file) { text, line, frame throws(Failure) in
      tape.bind(to: text)
      guard let change = ChangeLine(text[line]), change.readKey(of: line, tape, into: &key) else {
        throw file.file.damaged("a line is not a change of a profile", frame: frame)
      }
      try copy.take(change, of: key.view)
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
    while let other = walk.key, difference != nil, other < key { try writeDifference() }
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

  /// Writes a difference without a change in the source: its profile was as it is there.
  private func writeDifference() throws(Failure) {
    guard let key = walk.key, let difference else { preconditionFailure("a difference has a key") }
    try writer.append(difference, of: key, states, in: new)
    self.difference = try walk.next()
  }

  /// Writes what is left.
  func finish() throws(Failure) {
    while difference != nil { try writeDifference() }
    try writer.finish()
  }
}
