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
  private var text = ByteBuffer()

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
    guard let section = KeySection(of: key.view) else { return }
    do throws(Failure) {
      guard let profiles else { return }
      let state = try cursor.find(key.view, in: profiles)
      let profile = state == nil ? nil : cursor.profile
      let isTrue =
        change.kind == .removed
        ? state != nil && profile == nil
          && change.profile == ChangeLine(gone: key.view, section, in: &text).profile
        : profile.map { ChangeLine(change.kind, line: $0).profile } == change.profile
      if !isTrue { findings.add(.otherChange) }
    } catch {
      // The checks of states and profiles report what cannot be read.
      self.profiles = nil
    }
  }
}
