import Pipeline
import Stages

/// Searches the raw text of rejects, whole, truncated or invalid, and paths and names from lines
/// for people and installations (docs/reference/data-model.md, what is left out).
///
/// The ids that this run was asked to erase match anywhere as a word, at any level of escapes. Of
/// ids erased by earlier nights only hashes are known, so whole strings, keys, numbers and words
/// are compared. For one thread.
final class PersonSearch {
  /// Greatest depth of JSON texts within strings; deeper ones are searched as words.
  private static let deepest = 16

  private let erasures: Erasures
  private let keys: IdentityKeys
  private var key = ByteBuffer(capacity: 64)
  private var escapes = EscapeLevels()
  /// Per depth.
  private var levels: [Level] = []

  /// Whether an earlier night has erased a person permanently: hashes do not find its id in a
  /// truncated text.
  let clearsUnreadable: Bool

  /// A text to scan, and its tape.
  private final class Level {
    var text = ByteBuffer(capacity: 1 << 10)
    let tape = Tape(numbersNames: false)
  }

  /// A search for all keys with a mark in `erasures`; numbers under `keys` are ids, too.
  init(_ erasures: Erasures, keys: IdentityKeys = .default) {
    self.erasures = erasures
    self.keys = keys
    clearsUnreadable = erasures.marks.values.contains { $0.isForever && $0.request == nil }
  }

  /// Whether the text names one of them, or, when it is truncated, may do so at its end.
  /// Complexity: O(`text.count`), for each length of ids.
  func isNamed(in text: ByteView, isCut: Bool = false) -> Bool {
    if erasures.isEmpty { return false }
    if !isCut, let isNamed = isNamed(inJSON: text, depth: 0) { return isNamed }
    if clearsUnreadable || isQuoted(in: text) { return true }
    return escapes.contains(text) { text in
      holdsWord(text) || isCut && erasures.ids.mayBegin(atEndOf: text)
    }
  }

  /// Whether a path in a line, or a name, perhaps cut with an ellipsis, names one of them.
  func isNamed(inPath path: String) -> Bool {
    if erasures.isEmpty { return false }
    let text = ByteBuffer(text: path)
    let segments = path.split(separator: ".", omittingEmptySubsequences: false)
    // A name may contain dots.
    for first in segments.indices {
      for last in first..<min(first + 8, segments.count) {
        let name = segments[first...last].joined(separator: ".")
        let item = name.prefix { $0 != "[" }
        if isID(name) || isID(String(item)) { return true }
      }
    }
    let parts = path.split(separator: "…", omittingEmptySubsequences: false)
    let isCut = parts.dropLast().contains { part in
      let text = ByteBuffer(text: String(part))
      return erasures.ids.mayBegin(atEndOf: text.view)
    }
    return isCut || clearsUnreadable && parts.count > 1 || escapes.contains(text.view, holdsWord)
  }

  /// Whether a text is the id of one of them, a person or an installation.
  func isID(_ text: ByteView) -> Bool {
    for section in [KeySection.custom, .install] {
      key.removeAll()
      Erasures.append(section, text, to: &key)
      if erasures.mark(of: key.view) != nil { return true }
    }
    return false
  }

  private func isID(_ text: String) -> Bool {
    let bytes = ByteBuffer(text: text)
    return isID(bytes.view)
  }

  // MARK: - JSON

  /// The same for a JSON text; nil for any other text.
  private func isNamed(inJSON text: ByteView, depth: Int) -> Bool? {
    guard UTF8Check.isValid(text) else { return nil }
    if depth == levels.count { levels.append(Level()) }
    let (level, tape) = (levels[depth], levels[depth].tape)
    // The scanner requires a line end after the line.
    level.text.removeAll()
    level.text.append(text)
    level.text.append(UInt8(ascii: "\n"))
    tape.bind(to: level.text.view)
    guard case .value = Scanner.scan(line: 0..<text.count, into: tape) else { return nil }
    for index in 0..<tape.count {
      switch tape[index].kind {
      case .key, .string:
        if isNamed(by: tape.bytes(at: index), depth: depth) { return true }
      case .integer, .double:
        if index > 0, tape[index - 1].kind == .key, keys.mayHoldNumber(tape.bytes(at: index - 1)),
          isID(tape.bytes(at: index))
        {
          return true
        }
      default: break
      }
    }
    return false
  }

  /// Whether a string is an id, or contains one.
  private func isNamed(by string: ByteView, depth: Int) -> Bool {
    if isID(string) || escapes.contains(string, holdsWord) { return true }
    guard depth + 1 < Self.deepest, string.count > 1,
      string[0] == UInt8(ascii: "{") || string[0] == UInt8(ascii: "[")
        || string[0] == UInt8(ascii: "\"")
    else { return false }
    return isNamed(inJSON: string, depth: depth + 1) ?? false
  }

  // MARK: - Words

  /// Whether an id is between two quotes, matching or not, or after the last one.
  private func isQuoted(in text: ByteView) -> Bool {
    var start: Int?
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "\\") {
        index += 2
        continue
      }
      if text[index] == UInt8(ascii: "\"") {
        if let start, isQuoted(text[start..<index]) { return true }
        start = index + 1
      }
      index += 1
    }
    return start.map { isQuoted(text.dropFirst($0)) } ?? false
  }

  /// Whether the source of a JSON string is an id.
  private func isQuoted(_ source: ByteView) -> Bool {
    guard source.firstIndex(of: UInt8(ascii: "\\")) != nil else { return isID(source) }
    var quoted = ByteBuffer(capacity: source.count + 2)
    quoted.append(UInt8(ascii: "\""))
    quoted.append(source)
    quoted.append(UInt8(ascii: "\""))
    return isNamed(inJSON: quoted.view, depth: 0) ?? false
  }

  /// Whether a known id is a word of the text, or a word is an id. Percent-encoded words count.
  private func holdsWord(_ text: ByteView) -> Bool {
    holdsPlainWord(text) || PercentEscapes.contains(text, holdsPlainWord)
  }

  private func holdsPlainWord(_ text: ByteView) -> Bool {
    if erasures.ids.isWord(in: text, isID) { return true }
    var start = 0
    for index in 0...text.count where index == text.count || Self.separates(text[index]) {
      if index > start, isID(text[start..<index]) { return true }
      start = index + 1
    }
    return false
  }

  private static func separates(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "\\"),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "|"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}

extension TallyFacts {
  /// Removes what comes from lines about erased people: texts of samples, names of unknown fields,
  /// names of internal events. A report names no erased person.
  mutating func forget(_ erasures: Erasures, keys: IdentityKeys) {
    guard !erasures.isEmpty else { return }
    let search = PersonSearch(erasures, keys: keys)
    reasons = reasons.map { $0.without(search.isNamed(by:)) }
    losses = losses.map { $0.without(search.isNamed(by:)) }
    forgetUnknownFields { search.isNamed(inPath: $0) }
    dialects.internalEvents.removeAll { search.isNamed(inPath: $0.name) }
    dialects.ignoredActions.removeAll { search.isNamed(inPath: $0.name) }
  }

  /// Counts unknown fields with names that must not be reported among the others.
  mutating func forgetUnknownFields(where isForgotten: (_ name: String) -> Bool) {
    otherUnknownFields += unknownFields.reduce(0) { $0 + (isForgotten($1.name) ? $1.count : 0) }
    unknownFields.removeAll { isForgotten($0.name) }
  }
}

extension TallyFacts.CodeCount {
  /// The same, with only the positions of samples that name an erased person.
  fileprivate func without(_ isNamed: (RunTally.Sample) -> Bool) -> Self {
    Self(
      code: code, count: count,
      samples: samples.map { sample in
        isNamed(sample)
          ? RunTally.Sample(input: sample.input, line: sample.line, path: "") : sample
      })
  }
}

extension PersonSearch {
  /// Whether the line of the sample, or its description, names one of them.
  fileprivate func isNamed(by sample: RunTally.Sample) -> Bool {
    if isNamed(inPath: sample.path) || sample.message.map(isNamed(inPath:)) ?? false { return true }
    guard var raw = sample.raw else { return false }
    // A truncated line ends with an ellipsis.
    let isCut = raw.last == "…"
    if isCut { raw.removeLast() }
    let text = ByteBuffer(text: raw)
    return isNamed(in: text.view, isCut: isCut)
  }
}
