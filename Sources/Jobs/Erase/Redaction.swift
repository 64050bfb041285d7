import Pipeline
import Stages

/// Removes the text of lines, and paths in them, from reject entries that name an erased person
/// (docs/reference/data-model.md, what is left out). The entries stay, so that the ledger balances.
/// For one thread.
final class RejectRedaction {
  /// Number of entries that lost their text.
  private(set) var count = 0
  private let search: PersonSearch
  private let tape = Tape(numbersNames: false)
  private var entry = ByteBuffer()
  /// The source and line with which the entries of the last redacted line begin.
  private var leftOut = ByteBuffer()

  /// A redaction for all keys with a mark in `erasures`, of rejects that were made with `keys`.
  init(_ erasures: Erasures, keys: IdentityKeys = .default) {
    search = PersonSearch(erasures, keys: keys)
  }

  /// Writes the entry `line`, which ends with a line feed, redacted; false when it is not an entry.
  func write(_ line: ByteView, to writer: SeekableTextWriter) throws(Failure) -> Bool {
    tape.bind(to: line)
    guard line.count > 0, UTF8Check.isValid(line),
      case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
      let beginning = line.before(",\"offset\":"), let head = line.before(",\"reasons\":[")
    else { return false }
    let isOfLast = !leftOut.isEmpty && leftOut.view == beginning
    guard isOfLast || isNamed(root) else {
      try writer.append(line)
      return true
    }
    leftOut.removeAll()
    leftOut.append(beginning)
    entry.removeAll()
    entry.append(head)
    entry.append(",\"reasons\":")
    ReasonList.append(
      codesAlone: tape.items(of: tape.member("reasons", of: root)).map { reason in
        tape.string(at: tape.member("code", of: reason))?.text ?? ""
      }, to: &entry)
    QuarantineStage.writeNoRaw(to: &entry)
    entry.append("}\n")
    if entry.view != line { count += 1 }
    try writer.append(entry.view)
    return true
  }

  /// Whether the text of the line names one of them, or a path in it. Messages repeat words of the
  /// line, but also have words of their own, so they only count where the line is not there whole.
  private func isNamed(_ root: Int) -> Bool {
    let inLine = search.isNamed(inLineOf: root, of: tape)
    if inLine == true { return true }
    let isWhole =
      inLine != nil && !tape.isTrue("raw_truncated", of: root)
      && tape.string(at: tape.member("raw", of: root)) != nil
    return tape.items(of: tape.member("reasons", of: root)).contains { reason in
      var isNamed = false
      tape.forEachMember(of: reason) { member in
        let name = tape.bytes(at: member)
        guard let text = tape.string(at: member + 1), name != "code",
          !(isWhole && name == "message")
        else { return }
        isNamed = isNamed || search.isNamed(inPath: text.text)
      }
      return isNamed
    }
  }
}

extension PersonSearch {
  /// Whether the text of the line names one of them, in the reject entry at `root`, or cannot be
  /// decoded; nil when it was left out.
  func isNamed(inLineOf root: Int, of tape: Tape) -> Bool? {
    let isCut = tape.isTrue("raw_truncated", of: root)
    if let raw = tape.string(at: tape.member("raw", of: root)) {
      return raw.isEmpty ? nil : isNamed(in: raw, isCut: isCut)
    }
    guard let base64 = tape.string(at: tape.member("raw_base64", of: root)) else { return false }
    var text = ByteBuffer()
    return !text.append(decodingBase64: base64) || isNamed(in: text.view, isCut: isCut)
  }
}

extension StagedDirectory {
  /// Removes the text of lines that name one of `devices` from the finished rejects: which
  /// installations went with erased people is only known when all links have come together.
  func redactRejects(
    naming devices: Erasures, _ options: RunOptions, _ control: JobControl
  ) throws(Failure) {
    if devices.isEmpty { return }
    let file = try FrameFile(
      "\(folder.path)/\(RunFiles.rejects)", doing: "redacting", system: control.system)
    try remove(RunFiles.rejects)
    _ = try redact(file, naming: devices, options, control)
  }

  /// Writes the rejects of `file` without the text of lines that name one of `erasures`. Returns
  /// the number of entries that lost theirs.
  func redact(
    _ file: FrameFile, naming erasures: Erasures, _ options: RunOptions, _ control: JobControl
  ) throws(Failure) -> Int {
    let writer = try SeekableTextWriter(
      folder.create(RunFiles.rejects), level: options.publish.level)
    let redaction = RejectRedaction(erasures, keys: options.read.rules.foreign.identityKeys)
    try control.forEachLine(of: file) { text, line, frame throws(Failure) in
      guard line.upperBound < text.count,
        try redaction.write(text[line.lowerBound..<line.upperBound + 1], to: writer)
      else { throw file.file.damaged("a line is not a reject entry", frame: frame) }
    }
    try writer.finish()
    return redaction.count
  }
}

extension ReasonList {
  static var leftOut: ByteView { "left out, as the line names an erased person" }

  /// Appends reasons with these codes, without the paths and the words that come from the line.
  static func append(codesAlone codes: [String], to text: inout ByteBuffer) {
    text.append(JSONByte.openBracket)
    for (number, code) in codes.enumerated() {
      text.append(number > 0 ? ",{\"code\":\"" : "{\"code\":\"")
      text.append(text: code)
      text.append("\",\"path\":\"\",\"message\":\"")
      text.append(leftOut)
      text.append("\"}")
    }
    text.append(JSONByte.closeBracket)
  }
}

extension ByteView {
  /// The text before the first field `member`, whose position is a comma, a quote and the name; nil
  /// when there is none. Within strings such a quote follows a backslash.
  fileprivate func before(_ member: ByteView) -> ByteView? {
    var position = 0
    while position + member.count <= count {
      if dropFirst(position).starts(with: member) { return self[0..<position] }
      position += 1
    }
    return nil
  }
}

extension PersonSearch {
  /// Writes a value of `report.json` without the texts and names from lines that name one of them:
  /// `origin` is which are from lines, by the rows of ``Report``.
  func redact(_ value: JSONValue, _ origin: Origin, to json: inout JSONWriter) {
    switch value.kind {
    case _ where !origin.isOfLines: value.write(to: &json)
    case .object:
      json.object { json in
        var others = 0
        for (name, value) in value.members {
          let isCounted = origin.names == .counted && name == "other"
          if isCounted || origin.names != .program && isNamed(inPath: name) {
            others &+= origin.names == .counted ? value.count ?? 0 : 0
          } else {
            json.key(name)
            redact(value, origin[name], to: &json)
          }
        }
        if others > 0 { json.member("other", others) }
      }
    case .array:
      json.array { json in for item in value.items { redact(item, origin[nil], to: &json) } }
    case .string:
      let text = value.text ?? ""
      json.item(isNamed(inPath: text) ? "" : text)
    default: json.item(value)
    }
  }
}
