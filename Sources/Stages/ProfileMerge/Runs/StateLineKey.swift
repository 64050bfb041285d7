import Pipeline

/// Finds the key in a line of a state without reading the rest of it.
struct StateLineKey: ~Copyable {
  /// How every line but a header begins.
  private static var beginning: ByteView { "{\"key\":\"" }

  private let tape = Tape(capacity: 64, numbersNames: false)
  /// Keys that had escapes.
  private var unescaped = Arena()

  init() {}

  /// Forgets the keys that had escapes.
  mutating func removeAll() { unescaped = Arena() }

  /// The key text of `line`, which ends with its line feed; nil when it does not begin with one, or
  /// has no end. Valid as long as the line, and until ``removeAll()``.
  mutating func key(of line: ByteView) -> ByteView? {
    guard line.starts(with: Self.beginning), line[line.count - 1] == UInt8(ascii: "\n") else {
      return nil
    }
    let rest = line.dropFirst(Self.beginning.count)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    let text = rest[0..<end]
    guard text.firstIndex(of: UInt8(ascii: "\\")) != nil else { return text }
    tape.bind(to: line)
    guard case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
      tape[root].kind == .object, Int(tape[root].next) > root + 2
    else { return nil }
    let slot = unescaped.store(tape.bytes(at: root + 2))
    return unescaped[slot]
  }
}
