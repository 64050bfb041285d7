package import Pipeline

/// The source names of an event that differ from its canonical name: the smallest by bytes
/// (dialects 4).
///
/// Union and minimum only: names can be added and merged in any order and grouping, and more than
/// once.
package struct SourceNames: Equatable, Sendable {
  /// Most names reported for an event.
  package static let most = 5
  /// Most bytes of a reported name; a longer one is cut to whole scalars.
  package static let longest = 256

  /// The names, sorted by bytes, each once; at most ``most``, of at most ``longest`` bytes.
  private(set) var texts: [[UInt8]] = []

  package init() {}

  /// Whether there are no names.
  package var isEmpty: Bool { texts.isEmpty }

  /// The reported form of the name `text`: a long one is cut; names that differ only after that are
  /// equal.
  package static func truncated(_ text: ByteView) -> ByteView {
    text[0..<Characters.wholeCharacters(text, atMost: longest)]
  }

  /// Adds a name in its reported form. Allocates, so call it for names that are likely to be new.
  mutating func add(_ text: ByteView) { add(text.array) }

  /// Adds the names of `other`.
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

extension SourceNames: DocumentValue {
  package static var expected: String { "a short sorted list of names" }

  package func write(to json: inout JSONWriter) { names.write(to: &json) }

  /// Writes the field `source_names`, if there are any.
  package func writeField(to json: inout JSONWriter) {
    if isEmpty { return }
    json.key("source_names")
    write(to: &json)
  }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> SourceNames {
    guard let names = SourceNames(of: value.node.tape, at: value.node.index) else {
      throw .isNot(expected)
    }
    return names
  }

  /// Reads the array at `node` of `tape`; nil unless ``write(to:)`` can have written it: not for no
  /// or too many names, names out of order, empty or too long.
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
}
