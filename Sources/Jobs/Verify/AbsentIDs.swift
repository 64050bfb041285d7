import Pipeline
import Stages

/// Finds ids in texts, for `verify --absent`: by the first word of each id, comparing bytes.
///
/// Deliberately shares no code with the removal of ids (``PersonSearch``), so that it finds what
/// that overlooks.
final class AbsentIDs: Sendable {
  /// An id that should be absent.
  private struct Entry {
    let section: KeySection
    /// In upper case, if it ignores case.
    let bytes: [UInt8]
    let isCaseless: Bool
    let mark: Erasures.Mark
  }

  /// An id, and the byte index of its first word.
  private struct Candidate {
    let entry: Int
    let offset: Int
  }

  private let entries: [Entry]
  private let byWord: [UInt64: [Candidate]]
  /// Ids without letters and digits.
  private let wordless: [Int]
  private let byText: [[UInt8]: [Int]]
  private let longest: Int

  /// The ids in `requests`.
  init(_ requests: ErasureRequests) {
    var entries: [Entry] = []
    var byWord: [UInt64: [Candidate]] = [:]
    var wordless: [Int] = []
    var byText: [[UInt8]: [Int]] = [:]
    for request in requests.requests {
      let isCaseless = request.section == .install && Self.isUUID(request.id)
      let bytes = isCaseless ? request.id.map(Self.upper) : request.id
      let number = entries.count
      entries.append(
        Entry(
          section: request.section, bytes: bytes, isCaseless: isCaseless, mark: request.mark))
      byText[bytes, default: []].append(number)
      if let first = bytes.firstIndex(where: Self.isInWord) {
        var hash = Self.hashStart
        for byte in bytes[first...].prefix(while: Self.isInWord) { Self.add(byte, to: &hash) }
        byWord[hash, default: []].append(Candidate(entry: number, offset: first))
      } else {
        wordless.append(number)
      }
    }
    self.entries = entries
    self.byWord = byWord
    self.wordless = wordless
    self.byText = byText
    longest = entries.map(\.bytes.count).max() ?? 0
  }

  /// The combined request for an id; nil without one.
  func mark(_ section: KeySection, _ id: ByteView) -> Erasures.Mark? {
    let bytes = id.array
    let numbers = (byText[bytes] ?? []) + (byText[bytes.map(Self.upper)] ?? [])
    var mark: Erasures.Mark?
    for number in numbers {
      let entry = entries[number]
      guard entry.section == section, entry.isCaseless || entry.bytes == bytes else { continue }
      guard let known = mark else {
        mark = entry.mark
        continue
      }
      mark = Erasures.Mark(
        time: max(known.time, entry.mark.time),
        isForever: known.isForever || entry.mark.isForever)
    }
    return mark
  }

  /// Whether a text is one of the ids, of a person or an installation.
  func isID(_ text: ByteView) -> Bool {
    mark(.custom, text) != nil || mark(.install, text) != nil
  }

  // MARK: - Words

  /// Whether one of the ids is in the text as a word, also after decoding escapes, once or
  /// completely, and then percent-encoding.
  func holds(_ text: ByteView) -> Bool {
    if findsInURL(text) { return true }
    guard text.firstIndex(of: UInt8(ascii: "\\")) != nil else { return false }
    var decoded = ByteBuffer(capacity: text.count)
    AbsentText.decode(text, all: false, into: &decoded)
    if findsInURL(decoded.view) { return true }
    decoded.removeAll()
    AbsentText.decode(text, all: true, into: &decoded)
    return findsInURL(decoded.view)
  }

  /// Whether one of the ids is in the text as a word, plain or percent-encoded up to four times.
  private func findsInURL(_ text: ByteView) -> Bool {
    if finds(text) { return true }
    guard text.firstIndex(of: 0x25) != nil else { return false }
    var encoded = text.array
    for _ in 0..<4 {
      guard encoded.contains(0x25) else { return false }
      let decoded = AbsentText.decodePercents(encoded)
      var plain = ByteBuffer(capacity: decoded.count)
      for byte in decoded { plain.append(byte) }
      if finds(plain.view) { return true }
      encoded = decoded
    }
    return false
  }

  /// Whether a truncated text may end with the beginning of one of the ids.
  func mayBegin(atEndOf cut: ByteView) -> Bool {
    var decoded = ByteBuffer(capacity: min(cut.count, 12 * longest + 12))
    AbsentText.decode(
      cut.dropFirst(max(0, cut.count - 12 * longest - 12)), all: true, into: &decoded)
    for text in [cut, decoded.view] {
      for start in max(0, text.count - longest)..<text.count
      where start == 0 || !(Self.isInWord(text[start - 1]) && Self.isInWord(text[start])) {
        let beginning = text.dropFirst(start)
        if entries.contains(where: { Self.begins($0, with: beginning) }) { return true }
      }
    }
    return false
  }

  private static func begins(_ entry: Entry, with beginning: ByteView) -> Bool {
    guard beginning.count <= entry.bytes.count else { return false }
    for index in 0..<beginning.count {
      let byte = entry.isCaseless ? upper(beginning[index]) : beginning[index]
      if byte != entry.bytes[index] { return false }
    }
    return true
  }

  private func finds(_ text: ByteView) -> Bool {
    var index = 0
    while index < text.count {
      guard Self.isInWord(text[index]) else {
        index += 1
        continue
      }
      let start = index
      var hash = Self.hashStart
      while index < text.count, Self.isInWord(text[index]) {
        Self.add(text[index], to: &hash)
        index += 1
      }
      let candidates = byWord[hash] ?? []
      if candidates.contains(where: { stands($0.entry, at: start - $0.offset, in: text) }) {
        return true
      }
    }
    return wordless.contains { number in
      (0..<text.count).contains { stands(number, at: $0, in: text) }
    }
  }

  /// Whether an id is at a position, as a whole word.
  private func stands(_ number: Int, at start: Int, in text: ByteView) -> Bool {
    let entry = entries[number]
    let end = start + entry.bytes.count
    guard start >= 0, end <= text.count, Self.begins(entry, with: text[start..<end]) else {
      return false
    }
    return end == text.count || !(Self.isInWord(text[end - 1]) && Self.isInWord(text[end]))
  }

  // MARK: - Bytes

  private static let hashStart: UInt64 = 0xCBF2_9CE4_8422_2325

  /// FNV-1a, ignoring case: the id is identified by comparing bytes.
  private static func add(_ byte: UInt8, to hash: inout UInt64) {
    hash = (hash ^ UInt64(upper(byte))) &* 0x100_0000_01B3
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == 0x5F || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte & 0xDF
  }

  private static func upper(_ byte: UInt8) -> UInt8 { 0x61...0x7A ~= byte ? byte - 0x20 : byte }

  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == 0x2D : 0x30...0x39 ~= byte || 0x41...0x46 ~= byte & 0xDF
    }
  }
}
