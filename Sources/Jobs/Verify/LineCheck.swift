import Pipeline
import Stages

/// Checks the frames of one kind of file. One per lane; it goes from frame to frame and from part
/// to part.
protocol FrameCheck: AnyObject, SendableMetatype {
  /// Checks the text of `unit`, and notes in it what is wrong, how many lines it has, and its first
  /// and last key.
  /// - Throws: `io`, when something else has to be read for it and cannot be.
  func check(_ unit: FrameCheckUnit) throws(Failure)
}

/// Checks the lines of one kind of file, one after the other.
protocol LineCheck: FrameCheck {
  /// What lines are scanned into; it belongs to the check, so that names keep their numbers.
  var tape: Tape { get }
  /// Whether every line has to be a JSON object; else lines are counted and not looked at.
  var needsObjects: Bool { get }

  /// Checks the line whose object is the entry `root` of the tape, tells `findings` what is wrong
  /// with it, and appends to `key`, which is empty, what the lines of the file are sorted by. A
  /// line that is out of order appends nothing.
  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer)
}

extension LineCheck {
  var needsObjects: Bool { true }

  func check(_ unit: FrameCheckUnit) throws(Failure) {
    let findings = unit.findings
    if !unit.text.isEmpty, unit.text[unit.text.count - 1] != UInt8(ascii: "\n") {
      findings.add(.endsWithinALine)
      unit.text.append(UInt8(ascii: "\n"))
    }
    let text = unit.text.view
    tape.bind(to: text)
    var cursor = LineCursor(bytes: text)
    while let line = cursor.next() {
      findings.line = unit.lines
      unit.lines += 1
      guard needsObjects else { continue }
      guard UTF8Check.isValid(text[line]) else {
        findings.add(.notUTF8)
        continue
      }
      guard case .value(let root) = Scanner.scan(line: line, into: tape),
        tape[root].kind == .object
      else {
        findings.add(.notAnObject)
        continue
      }
      unit.key.removeAll()
      check(root: root, findings: findings, key: &unit.key)
      if !unit.key.isEmpty { unit.noteKey() }
    }
    findings.line = nil
  }
}

/// What is wrong with the lines of a frame. For one thread at a time.
final class FrameFindings {
  /// Line in the frame, 0-based, that is being checked; nil for the frame itself.
  var line: Int?
  /// Whether that line is the first one of its file.
  var isFirstOfFile: Bool { line == 0 && isFirstFrame }
  /// Whether the frame is the first one of its file.
  var isFirstFrame = false
  /// What the index says of the frame, if it is one of the state.
  var index = IndexText()
  /// The first findings, as many as a list of problems tells.
  private(set) var reported: [(line: Int?, finding: Finding)] = []
  private(set) var count = 0

  func removeAll() {
    line = nil
    index.removeAll()
    reported.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Notes what is wrong with the present line, with the figures of its sentence.
  func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
    count += 1
    if reported.count < ProblemList.mostListed { reported.append((line, Finding(code, figures))) }
  }
}

extension ByteView {
  /// Bytes of a text that messages show.
  private static var longestShown: Int { 100 }

  /// The text as messages show it: not more than its beginning, and nothing that a terminal obeys.
  var shown: String {
    let text = self[0..<min(count, ByteView.longestShown)].text
    let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
    return String(String.UnicodeScalarView(plain)) + (count > ByteView.longestShown ? "…" : "")
  }
}
