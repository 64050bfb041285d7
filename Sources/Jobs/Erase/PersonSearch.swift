import Pipeline
import Stages

/// Searches the raw text of rejects, whole, truncated or invalid, and paths and names from lines
/// for people and installations (docs/reference/data-model.md, what is left out). What an erasure
/// removes and what `verify --requests` refuses is decided here, for both.
///
/// The ids that this run was asked to erase match anywhere as a word, at any level of escapes. Of
/// ids erased by earlier nights only hashes are known, so whole strings, keys, numbers, and phrases
/// without a separator are compared. For one thread.
final class PersonSearch {
  /// Greatest depth of JSON texts within strings; deeper ones are searched as words.
  private static let deepest = 16
  /// Most words, and characters between them, of a phrase that is compared by its hash.
  private static let longestPhrase = 8

  private let erasures: Erasures
  private let keys: IdentityKeys
  private let sparesNames: Bool
  private var key = ByteBuffer(capacity: 64)
  private var escapes = EscapeLevels()
  private var window: PhraseHashes.Window
  /// Where the last parts of a text begin, as far as a phrase may go back.
  private var starts: [Int] = []
  /// Per depth.
  private var levels: [Level] = []

  /// Whether an earlier night has erased a person permanently: hashes do not find its id in a
  /// truncated text.
  let clearsUnreadable: Bool
  /// Whether of any person only the hash is known, which does not find the beginning of its id.
  private let knowsOnlyHashes: Bool
  private let hasHashes: Bool

  /// A text to scan, and its tape.
  private final class Level {
    var text = ByteBuffer(capacity: 1 << 10)
    let tape = Tape(numbersNames: false)
    /// The keys around the current entry, with the ends of their values.
    var keys: [(key: Int, end: Int)] = []
  }

  /// A search for all keys with a mark in `erasures`; numbers under `keys` are ids, too. With
  /// `sparesNames` an id is not found as a key that is a valid name, which others may have.
  init(_ erasures: Erasures, keys: IdentityKeys = .default, sparesNames: Bool = false) {
    (self.erasures, self.keys, self.sparesNames) = (erasures, keys, sparesNames)
    window = erasures.ids.window
    clearsUnreadable = erasures.marks.values.contains {
      $0.isForever && $0.request == nil && !$0.leavesTexts
    }
    knowsOnlyHashes = erasures.marks.values.contains { $0.request == nil && !$0.leavesTexts }
    hasHashes = erasures.ids.isEmpty || erasures.marks.values.contains { $0.request == nil }
  }

  /// Whether the text names one of them, or, when it is truncated, may do so at its end.
  /// Complexity: O(`text.count` · numbers of words of ids) per level of escapes.
  func isNamed(in text: ByteView, isCut: Bool = false) -> Bool {
    if erasures.isEmpty { return false }
    if !isCut, let isNamed = isNamed(inJSON: text, depth: 0) { return isNamed }
    if clearsUnreadable || isQuoted(in: text) { return true }
    return escapes.contains(text) { holdsWord($0) || isCut && mayBegin(atEndOf: $0) }
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
    let cut = UnknownFields.isCut(text.view) ? parts[...] : parts.dropLast()
    if !cut.isEmpty, knowsOnlyHashes { return true }
    let isCut = cut.contains { part in
      let text = ByteBuffer(text: String(part))
      return mayBegin(atEndOf: text.view)
    }
    return isCut || isMentioned(in: text.view)
  }

  /// Whether an id is a word anywhere in the text, also as a name or value of others.
  func isMentioned(in text: ByteView) -> Bool { escapes.contains(text, holdsWord) }

  /// The mark of a key; nil without one.
  func mark(_ section: KeySection, _ id: ByteView) -> Erasures.Mark? {
    key.removeAll()
    Erasures.append(section, id, to: &key)
    return erasures.mark(of: key.view)
  }

  /// Whether a text is the id of one of them, a person or an installation.
  func isID(_ text: ByteView) -> Bool {
    isSearched(mark(.custom, text)) || isSearched(mark(.install, text))
  }

  private func isSearched(_ mark: Erasures.Mark?) -> Bool { mark.map { !$0.leavesTexts } ?? false }

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
    level.keys.removeAll()
    for index in 0..<tape.count {
      while let last = level.keys.last, last.end <= index { level.keys.removeLast() }
      switch tape[index].kind {
      case .key:
        let isList = tape[index + 1].kind == .array
        level.keys.append((index, isList ? Int(tape[index + 1].next) : index + 2))
        let name = tape.bytes(at: index)
        if !(sparesNames && Self.isValidName(name)), isNamed(by: name, depth: depth) { return true }
      case .string: if isNamed(by: tape.bytes(at: index), depth: depth) { return true }
      case .integer, .double:
        // Of a list, the key of the list counts.
        if let key = level.keys.last?.key, keys.mayHoldNumber(tape.bytes(at: key)),
          isID(tape.bytes(at: index))
        {
          return true
        }
      default: break
      }
    }
    return false
  }

  static func isValidName(_ name: ByteView) -> Bool {
    Characters.isName(name.starts(with: "$") ? name.dropFirst(1) : name)
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

  /// Whether a known id is a word of the text, or a phrase in it is an id.
  private func holdsWord(_ text: ByteView) -> Bool {
    var start = 0
    window.reset()
    starts.removeAll(keepingCapacity: true)
    for part in Words(text) {
      let range = part.range
      if erasures.ids.advance(&window, past: range, of: text) || isUUID(at: range, in: text) {
        return true
      }
      guard hasHashes else { continue }
      if !part.isWord, Self.separates(text[range.lowerBound]) {
        if range.lowerBound > start, isID(text[start..<range.lowerBound]) { return true }
        start = range.upperBound
        starts.removeAll(keepingCapacity: true)
      } else if endsPhrase(range, of: text) {
        return true
      }
    }
    return hasHashes && start < text.count && isID(text.dropFirst(start))
  }

  /// Whether an id ends with this part of a text between two separators. Known ids are found beside
  /// any other word, so those of earlier nights must be, too.
  private func endsPhrase(_ part: Range<Int>, of text: ByteView) -> Bool {
    if starts.count == Self.longestPhrase { starts.removeFirst() }
    starts.append(part.lowerBound)
    return starts.contains { isID(text[$0..<part.upperBound]) }
  }

  /// Whether the word `range` begins a UUID that is an id.
  private func isUUID(at range: Range<Int>, in text: ByteView) -> Bool {
    let end = range.lowerBound + UUIDText.length
    guard range.count == 8, end <= text.count, text[range.upperBound] == UInt8(ascii: "-"),
      UUIDText.shape(text[range.lowerBound..<end]).isUUID, Words.isBoundary(text, end)
    else { return false }
    return isID(text[range.lowerBound..<end])
  }

  /// Whether a truncated text may end within an id, or within an escape that begins one.
  private func mayBegin(atEndOf text: ByteView) -> Bool {
    if erasures.ids.isEmpty { return false }
    if erasures.ids.mayBegin(atEndOf: text) { return true }
    let whole = EscapeLevels.withoutOpenEscape(text)
    return whole.count < text.count
      && (!Words.endsWithin(whole) || erasures.ids.mayBegin(atEndOf: whole))
  }

  /// Whether a character between words ends a phrase that is compared by its hash.
  private static func separates(_ byte: UInt8) -> Bool {
    let marks: ByteView = "\"'`\\{}[]()<>,:;=&?|/"
    return byte <= 0x20 || byte >= 0x80 || marks.firstIndex(of: byte) != nil
  }
}

extension TallyFacts {
  /// Removes what comes from lines about erased people: texts of samples, names of unknown fields,
  /// names of internal events. A report names no erased person.
  mutating func forget(_ erasures: Erasures, keys: IdentityKeys) {
    guard !erasures.isEmpty else { return }
    let search = PersonSearch(erasures, keys: keys)
    func without(_ sample: RunTally.Sample) -> RunTally.Sample {
      search.isNamed(by: sample)
        ? RunTally.Sample(input: sample.input, line: sample.line, path: "") : sample
    }
    func without(_ code: CodeCount) -> CodeCount {
      CodeCount(code: code.code, count: code.count, samples: code.samples.map(without))
    }
    (reasons, losses) = (reasons.map(without), losses.map(without))
    implausibleSamples = implausibleSamples.map(without)
    unknownFields.forget { search.isNamed(inPath: $0) }
    implausibleDates.forget { search.isNamed(inPath: $0) }
    dialects.internalEvents.removeAll { search.isNamed(inPath: $0.name) }
    dialects.ignoredActions.removeAll { search.isNamed(inPath: $0.name) }
  }
}

extension PersonSearch {
  /// Whether the line of the sample, or its description, names one of them.
  fileprivate func isNamed(by sample: RunTally.Sample) -> Bool {
    if isNamed(inPath: sample.path) { return true }
    var raw = sample.raw ?? ""
    // A truncated line ends with an ellipsis.
    let isCut = raw.last == "…"
    if isCut { raw.removeLast() }
    // A message has words of its own, and only repeats those of the line.
    if raw.isEmpty || isCut, let message = sample.message, isNamed(inPath: message) { return true }
    let text = ByteBuffer(text: raw)
    return isNamed(in: text.view, isCut: isCut)
  }
}
