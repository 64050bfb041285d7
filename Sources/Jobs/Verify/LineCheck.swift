import Pipeline
import Stages

/// Checks the frames of one kind of file. One per lane; used for frame after frame and part after
/// part.
protocol FrameCheck: AnyObject, SendableMetatype {
  /// Checks the text of `unit`, and sets its findings, its number of lines, and its first and last
  /// key.
  func check(_ unit: FrameCheckUnit) throws(Failure)
}

/// Checks the lines of one kind of file, one after the other.
protocol LineCheck: FrameCheck {
  /// The tape for the lines; it belongs to the check, so that names keep their numbers.
  var tape: Tape { get }
  /// Whether every line must be a JSON object; otherwise lines are only counted.
  var needsObjects: Bool { get }

  /// Checks the line whose object is the entry `root` of the tape, adds its problems to `findings`,
  /// and appends to `key`, which is empty, the sort key of the line. A line without a valid key
  /// appends nothing.
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

/// The problems of the lines of a frame. For one thread at a time.
final class FrameFindings {
  /// The current line in the frame, 0-based; nil for the frame itself.
  var line: Int?
  var isFirstFrame = false
  var index = IndexText()
  private(set) var problems = ProblemList()

  func removeAll() {
    line = nil
    index.removeAll()
    problems = ProblemList()
  }

  /// Adds a problem of the current line, with the values of its sentence.
  func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
    problems.add(VerifyProblem(file: "", line: line, finding: Finding(code, figures)))
  }
}

extension ByteView {
  /// Bytes of a text in messages.
  private static var longestShown: Int { 100 }

  /// The text in messages: cut, and without terminal control characters.
  var shown: String {
    let text = self[0..<min(count, ByteView.longestShown)].text
    let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
    return String(String.UnicodeScalarView(plain)) + (count > ByteView.longestShown ? "…" : "")
  }
}
