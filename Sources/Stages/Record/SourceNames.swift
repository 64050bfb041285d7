package import Pipeline

/// What the sources call an event, where that is another text than the canonical name: of all names
/// that were met the smallest by bytes (dialects 4).
///
/// Union and minimum only: names can be taken in, and merged, in any order and grouping, and more
/// than once.
package struct SourceNames: Equatable, Sendable {
  /// How many names are told of an event.
  package static let most = 5
  /// Bytes of a name that are told; of a longer one the scalars that fit whole.
  package static let longest = 256

  /// The names, sorted by bytes, each once; at most ``most``, of at most ``longest`` bytes.
  private(set) var texts: [[UInt8]] = []

  package init() {}

  /// Whether there are none.
  package var isEmpty: Bool { texts.isEmpty }

  /// What is told of the name `text`: a long one is cut, and told apart by that only.
  package static func truncated(_ text: ByteView) -> ByteView {
    text[0..<Characters.wholeCharacters(text, atMost: longest)]
  }

  /// Takes in a name, as ``told(_:)`` gives it. Allocates; for names that are likely to be news.
  mutating func add(_ text: ByteView) { add(text.array) }

  /// Takes in what others have met.
  package mutating func merge(_ other: SourceNames) {
    for text in other.texts { add(text) }
  }

  private mutating func add(_ text: [UInt8]) {
    let index = texts.firstIndex { !$0.lexicographicallyPrecedes(text) } ?? texts.count
    guard index < Self.most, index == texts.count || texts[index] != text else { return }
    texts.insert(text, at: index)
    if texts.count > Self.most { texts.removeLast() }
  }

  /// The names as texts. They were read as UTF-8.
  package var names: [String] { texts.map { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - As text

extension SourceNames {
  /// Writes the member `source_names`; nothing, when there are none.
  package func write(to json: inout JSONWriter) {
    if !isEmpty { json.array("source_names", of: names) }
  }

  /// Reads the array at `node` of `tape`; nil when it is none that ``write(to:)`` writes: of no or
  /// too many names, out of order, or with one that is empty or too long.
  package init?(of tape: Tape, at node: Int) {
    guard tape[node].kind == .array else { return nil }
    var item = node + 1
    while item < Int(tape[node].next) {
      guard tape[item].kind == .string, texts.count < Self.most,
        1...Self.longest ~= tape.bytes(at: item).count
      else { return nil }
      let text = tape.bytes(at: item).array
      if let last = texts.last, !last.lexicographicallyPrecedes(text) { return nil }
      texts.append(text)
      item = Int(tape[item].next)
    }
    if isEmpty { return nil }
  }

  /// Reads the member `source_names` of the object `root` of `tape`, if it has one; nil when that
  /// is none that is written.
  package init?(ofMemberOf root: Int, of tape: Tape) {
    guard let node = tape.member("source_names", of: root) else {
      self.init()
      return
    }
    self.init(of: tape, at: node)
  }
}
