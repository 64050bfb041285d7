import Pipeline

/// Leaves the text of their lines out of reject entries that name somebody who is erased (DIALECTS 1.3). The
/// entries stay, so that the ledger adds up. For one thread.
final class RejectRedaction {
  /// How many entries lost their text.
  private(set) var count = 0
  private let check: AbsenceCheck
  private let findings = FrameFindings()
  private var key = ByteBuffer()
  private var entry = ByteBuffer()

  /// A redaction for everybody who has a mark in `erasures`.
  init(_ erasures: Erasures) { check = AbsenceCheck(erasures, in: .rejects) }

  /// Writes the entry `line`, which ends with a line feed, as it may stay. False when it is no entry.
  ///
  /// - Throws: `io`.
  func write(_ line: ByteView, to writer: SeekableTextWriter) throws(Failure) -> Bool {
    check.tape.bind(to: line)
    findings.removeAll()
    guard line.count > 0, UTF8Check.isValid(line),
      case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: check.tape)
    else { return false }
    check.check(root: root, findings: findings, key: &key)
    if findings.count == 0 {
      try writer.append(line)
    } else {
      count += 1
      leaveTextOut(of: line)
      try writer.append(entry.view)
    }
    return true
  }

  /// Makes ``entry`` of a line.
  private func leaveTextOut(of line: ByteView) {
    // Inside of strings a quote has a backslash before it, so this is where the member begins.
    let member: ByteView = ",\"raw"
    var end = 0
    while end < line.count - 1, !line.dropFirst(end).starts(with: member) { end += 1 }
    entry.removeAll()
    entry.append(line[0..<end])
    entry.append(",\"raw\":\"\",\"raw_truncated\":true}\n")
  }
}
