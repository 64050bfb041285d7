package import Pipeline

/// One fact about a key, as a record of one of its registers (``Register``).
///
/// ```
/// name (32) | length of the value (32)      8 bytes, little-endian, no alignment
/// kind (8) | form (8) | time (48, signed)
/// two words                                 8 + 8, if the kind has them
/// value                                     length
/// ```
package struct Mutation: Sendable {
  /// A set of kinds: a constant, as each record is looked for in several.
  struct Kinds {
    private let bits: UInt32
    /// The kinds, without those of a union.
    let own: (FactKind, FactKind?, FactKind?, FactKind?)

    init(_ one: FactKind, _ two: FactKind? = nil, _ three: FactKind? = nil, _ four: FactKind? = nil)
    {
      own = (one, two, three, four)
      bits = one.bit | (two?.bit ?? 0) | (three?.bit ?? 0) | (four?.bit ?? 0)
    }

    private init(bits: UInt32, _ own: (FactKind, FactKind?, FactKind?, FactKind?)) {
      (self.bits, self.own) = (bits, own)
    }

    @inline(__always)
    func contains(_ kind: FactKind) -> Bool { bits & kind.bit != 0 }

    /// Whether the kind is one of its own; false for a byte that names none.
    @inline(__always)
    func owns(_ kind: FactKind) -> Bool {
      kind == own.0 || kind == own.1 || kind == own.2 || kind == own.3
    }

    @inline(__always)
    func union(_ others: Kinds) -> Kinds { Kinds(bits: bits | others.bits, own) }
  }

  /// Bytes before the value, in records without words.
  static let headLength = 16
  static let wordsLength = 16
  package var kind: FactKind
  package var form = KeyForm.plain
  /// Number of the event name, attribute key or register; 0 without one.
  package var name: UInt32
  /// Milliseconds since 1970; ``EventTime/absent`` for events without a time, and their ids.
  package var time: Int
  var words: (UInt64, UInt64) = (0, 0)
  package var value = ByteView("")

  package init(
    _ kind: FactKind, name: UInt32 = 0, time: Int = 0, form: KeyForm = .plain,
    words: (UInt64, UInt64) = (0, 0), value: ByteView = ""
  ) {
    (self.kind, self.form, self.name, self.time) = (kind, form, name, time)
    (self.words, self.value) = (words, value)
  }

  /// The record at `offset` of `bytes`, which moves past it; nil at their end, when it is
  /// incomplete, or when its form is unknown.
  @inline(__always)
  package init?(_ bytes: ByteView, at offset: inout Int) {
    guard offset + Self.headLength <= bytes.count else { return nil }
    let (first, second) = (bytes.word64(at: offset), bytes.word64(at: offset + 8))
    kind = FactKind(byte: UInt8(truncatingIfNeeded: second))
    let start = offset + Self.headLength + (kind.hasWords ? Self.wordsLength : 0)
    let end = start + Int(first >> 32)
    guard end <= bytes.count, let form = KeyForm(rawValue: UInt8(truncatingIfNeeded: second >> 8))
    else { return nil }
    self.form = form
    name = UInt32(truncatingIfNeeded: first)
    time = Int(Int64(bitPattern: second) >> 16)
    if kind.hasWords {
      words = (
        bytes.word64(at: offset + Self.headLength), bytes.word64(at: offset + Self.headLength + 8)
      )
    }
    value = bytes[start..<end]
    offset = end
  }

  var length: Int { Self.headLength + (kind.hasWords ? Self.wordsLength : 0) + value.count }

  func append(to bytes: inout ByteBuffer) {
    precondition(
      value.count <= Int(UInt32.max) && time >> 47 == time >> 63,
      "a record has a value of at most 4 GiB and a time of 48 bits")
    bytes.append(word64: UInt64(value.count) << 32 | UInt64(name))
    bytes.append(
      word64: UInt64(bitPattern: Int64(time)) << 16 | UInt64(form.rawValue) << 8 | UInt64(kind.byte)
    )
    if kind.hasWords {
      bytes.append(word64: words.0)
      bytes.append(word64: words.1)
    }
    bytes.append(value)
  }

  package var naming: FactKind.Naming { kind.naming }

  /// The earliest time in it, in milliseconds since 1970.
  package var earliest: Int {
    kind == .counted || kind == .seen ? Int(Int64(bitPattern: words.1)) : time
  }

  /// The times at which the record says that its key was seen.
  var seen: Seen {
    kind.isSeen && time != EventTime.absent ? Seen(first: earliest, last: time) : .never
  }

  var fingerprint: Fingerprint { Fingerprint(low: words.0, high: words.1) }

  @inline(__always)
  static func length(of operation: RoutedOperation) -> Int {
    let hasID = operation.isEvent && operation.id != .none
    return headLength + (hasID ? wordsLength : 0) + Int(operation.valueLength)
  }

  package init(_ operation: RoutedOperation, _ bytes: ByteView, _ source: InputSourceID) {
    let start = Int(operation.valueStart)
    let value = bytes[start..<start + Int(operation.valueLength)]
    self.init(
      operation.kind, name: operation.name, time: operation.time, form: operation.form,
      value: value)
    guard operation.isEvent, operation.id != .none else { return }
    let id = EventID(operation.id, source: source)
    kind = .identified
    words = (id.tail, id.high)
  }
}
