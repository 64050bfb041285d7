import Pipeline
import Stages

/// Checks the lines of a state: header, kinds and order of keys, and the part. What the registers
/// of a key hold is for the next run's ``StateReader``.
final class StateCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  /// The part whose lines come next.
  private var part = OutputPart(partition: 0, partitions: 1)
  private var person = ByteBuffer()

  /// Prepares for the lines of `part`.
  func begin(_ part: OutputPart) { self.part = part }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    if findings.isFirstOfFile { return checkHeader(root, findings) }
    // The key comes first, so that whoever reads a line knows at once whose it is.
    guard tape[root].next > root + 1, tape.bytes(at: root + 1) == "key",
      let text = tape.string(at: root + 2)
    else { return findings.add(.beginsWithoutKey) }
    key.append(text)
    guard let section = KeySection(of: text), section.id(of: text).count > 0 else {
      return findings.add(.badKey, text.shown)
    }
    part.check(text, findings)
    noteForIndex(text, root, findings)
  }

  /// Notes what the index says of a key: whom it belongs to, and the oldest id.
  private func noteForIndex(_ key: ByteView, _ root: Int, _ findings: FrameFindings) {
    switch KeySection(of: key) {
    case .custom: findings.index.mark(XXH64.hash(key))
    case .install:
      let link = tape.member("link", of: root)
      guard let link, let id = tape.string(at: tape.member("custom_id", of: link)) else { break }
      person.removeAll()
      person.append(KeySection.custom.prefix)
      person.append(id)
      findings.index.mark(XXH64.hash(person.view))
    case .anonymous, nil: return
    }
    guard let events = tape.member("events", of: root), tape[events].kind == .object else { return }
    tape.forEachMember(of: events) { event in
      guard let ids = tape.member("ids", of: event + 1), tape[ids].kind == .object else { return }
      tape.forEachMember(of: ids) { id in
        let isUntimed = tape[id + 1].kind == .null
        let time = isUntimed ? EventTime.absent : Int(tape.bytes(at: id + 1).text)
        if let time { findings.index.note(oldestID: time) }
      }
    }
  }

  private func checkHeader(_ root: Int, _ findings: FrameFindings) {
    guard StateCheck.isHeader(root, of: tape, findings) else { return }
    guard
      let partition = tape.count(at: tape.member("partition", of: root)),
      let partitions = tape.count(at: tape.member("partitions", of: root)),
      OutputPart(partition: partition, partitions: partitions) == part
    else {
      return findings.add(.headerOfOtherPart, part.partition, part.partitions)
    }
  }

  /// Whether the line at `root` is the header of a state; notes it when it is not, or of a format
  /// that is not read.
  static func isHeader(_ root: Int, of tape: Tape, _ findings: FrameFindings) -> Bool {
    let version = tape.count(at: tape.member("eventmill_state", of: root))
    if let version, version != StateHeader.version {
      findings.add(.otherStateFormat, version, StateHeader.version)
    }
    if version == nil { findings.add(.badHeader) }
    return version != nil
  }
}
