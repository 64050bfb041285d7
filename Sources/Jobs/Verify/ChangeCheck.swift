import Pipeline
import Stages

/// Checks the lines of changes (docs/reference/file-formats.md): their keys, and that added and
/// changed profiles are those that are published, and removed ones are not.
final class ChangeCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  /// The part of the next lines, and its profiles; nil where they cannot be read.
  private var part = OutputPart(partition: 0, partitions: 1)
  private var profiles: SortedRun?
  private let cursor: RunCursor

  /// - Throws: `io`, when there is no memory.
  init() throws(Failure) { cursor = try RunCursor(names: RunNames()) }

  /// Prepares for the lines of `part`, whose profiles are in `profiles`.
  func begin(_ part: OutputPart, _ profiles: SortedRun?) {
    (self.part, self.profiles) = (part, profiles)
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    guard let change = ChangeLine(tape.bytes(at: root)), change.readKey(of: root, tape, into: &key)
    else { return findings.add(.noChange) }
    part.check(key.view, findings)
    // Others report what cannot be read.
    guard let profiles, let state = try? cursor.find(key.view, in: profiles) else {
      if change.kind != .removed, profiles != nil { findings.add(.otherChange) }
      return
    }
    let published = state.hasProfile ? cursor.profile : nil
    let told = published.map { ChangeLine(change.kind, line: $0).profile }
    if told != (change.kind == .removed ? nil : change.profile) { findings.add(.otherChange) }
  }
}
