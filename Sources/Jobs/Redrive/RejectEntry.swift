import Pipeline
import Stages

/// An entry of a rejects file, read back (data-model 15): views over its tape.
struct RejectEntry {
  /// Tape index of the path of the input.
  let source: Int
  /// 1-based.
  let line: Int
  /// Offset of the line there, in bytes of the decompressed file.
  let offset: Int
  let scope: RejectScope
  let index: Int
  let reasons: [Int]
  /// Tape index of the text of the line, plain or in Base64.
  let raw: Int
  let isBase64: Bool
  /// Whether the text is not the whole line.
  let isTruncated: Bool
  /// Whether the line was repaired, and so has to be again.
  let isRepaired: Bool

  init(_ root: Int, of tape: Tape) throws(Damage) {
    guard tape[root].kind == .object else { throw Damage("it is not a JSON object") }
    guard let source = tape.member("source", of: root), tape.string(at: source) != nil else {
      throw Damage("it has no source")
    }
    guard let line = tape.count(at: tape.member("line", of: root)), line > 0 else {
      throw Damage("its line is not a line number")
    }
    guard let offset = tape.count(at: tape.member("offset", of: root)) else {
      throw Damage("its offset is not a number of bytes")
    }
    guard let scope = tape.string(at: tape.member("scope", of: root)).flatMap(RejectScope.init)
    else { throw Damage("its scope is neither line nor event nor operation") }
    guard let index = tape.count(at: tape.member("index", of: root)) else {
      throw Damage("its index is not a number")
    }
    let (raw, base64) = (tape.member("raw", of: root), tape.member("raw_base64", of: root))
    guard (raw == nil) != (base64 == nil), let text = raw ?? base64, tape.string(at: text) != nil
    else { throw Damage("it must have either raw or raw_base64, as text") }
    (self.source, self.line, self.offset) = (source, line, offset)
    (self.scope, self.index) = (scope, index)
    reasons = tape.items(of: tape.member("reasons", of: root))
    (self.raw, isBase64) = (text, base64 != nil)
    isTruncated = tape.isTrue("raw_truncated", of: root)
    isRepaired = tape.isTrue("repaired", of: root)
  }

  func has(_ code: ReasonCode, in tape: Tape) -> Bool {
    let text = code.text
    return reasons.contains { tape.string(at: tape.member("code", of: $0))?.text == text }
  }

  /// The reason that a line is not an entry.
  struct Damage: Error, Equatable {
    let why: String

    init(_ why: String) { self.why = why }
  }
}

extension Tape {
  /// The items of the list at `node`; none without one.
  func items(of node: Int?) -> [Int] { node.map { items(of: $0) } ?? [] }

  func isTrue(_ name: ByteView, of root: Int) -> Bool {
    member(name, of: root).map { self[$0].kind == .true } ?? false
  }
}

extension System {
  /// The rejects that `path` names: itself, or those in the directory.
  /// - Throws: `usage` without any; `io`.
  func rejects(at path: String, doing: String) throws(Failure) -> String {
    try checkReadable(path, doing: doing)
    guard try status(of: path, doing: doing).kind == .directory else { return path }
    let file = path + (path.utf8.last == UInt8(ascii: "/") ? "" : "/") + RunFiles.rejects
    guard let status = try statusIfAny(of: file, doing: doing) else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it has no \(RunFiles.rejects)",
        advice: "name a directory that run, migrate or redrive has published, or its rejects")
    }
    if status.kind != .directory { try checkReadable(file, doing: doing) }
    return file
  }
}
