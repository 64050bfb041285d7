package import Pipeline

/// The source names of an event that differ from its canonical name: the smallest by bytes
/// (dialects 4). Union and minimum only: names can be merged in any order and grouping, and more
/// than once.
package struct SourceNames: Equatable, Sendable {
  package static let most = 5
  /// Most bytes of a reported name; a longer one is cut to whole scalars.
  package static let longest = 256

  /// The names, sorted by bytes, each once; at most ``most``, of at most ``longest`` bytes.
  private(set) var texts: [[UInt8]] = []

  package init() {}

  package var isEmpty: Bool { texts.isEmpty }

  /// The reported form of the name `text`: a long one is cut.
  package static func truncated(_ text: ByteView) -> ByteView {
    text[0..<Characters.wholeCharacters(text, atMost: longest)]
  }

  /// Adds a name in its reported form; returns whether it was added. Allocates only then.
  @discardableResult
  mutating func add(_ text: ByteView) -> Bool {
    var index = 0
    while index < texts.count, !ByteView.with(texts[index], { text < $0 }) {
      if text == texts[index] { return false }
      index += 1
    }
    guard index < Self.most else { return false }
    texts.insert(text.array, at: index)
    if texts.count > Self.most { texts.removeLast() }
    return true
  }

  package mutating func merge(_ other: SourceNames) {
    for text in other.texts { ByteView.with(text) { _ = add($0) } }
  }

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

  /// Reads the array at `node` of `tape`; nil unless ``write(to:)`` can have written it.
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

/// Finds the source names of events that a lane has not sent yet. Of each event name it keeps the
/// smallest, as many as are reported (``SourceNames``): a greater one is never reported, whatever
/// other lanes have seen. Bounded by the number of event names.
struct SourceNameFilter: ~Copyable {
  /// By number of the event name.
  private var sent: [SourceNames] = []

  /// The source name of `event`, as it is reported, if it must be sent; `name` is its name's
  /// number.
  mutating func news(of event: EventEntry, _ name: UInt32, in tape: Tape) -> ByteView? {
    guard event.sourceName.exists else { return nil }
    let text = SourceNames.truncated(tape.bytes(at: event.sourceName))
    return !text.isEmpty && text != tape.bytes(at: event.nameNode) && isNews(text, of: name)
      ? text : nil
  }

  /// Whether the source name `text`, as it is reported, of an event name must be sent.
  mutating func isNews(_ text: ByteView, of name: UInt32) -> Bool {
    if Int(name) >= sent.count {
      sent += repeatElement(SourceNames(), count: Int(name) + 1 - sent.count)
    }
    return sent[Int(name)].add(text)
  }
}
