import Pipeline

/// The root fields that one dialect reads, beside those that all readers know (``RootField``): up
/// to 16.
protocol DialectField: CaseIterable, RawRepresentable<UInt8> {
  /// As it stands in lines.
  var name: StaticString { get }
}

extension DialectField {
  /// The index of the field that is called `name`, or 255. Complexity: O(fields).
  static func index(of name: ByteView) -> UInt32 {
    UInt32(allCases.first { ByteView($0.name) == name }?.rawValue ?? .max)
  }
}

/// The values of those fields in one line: tape indices, none for what is absent or null. Of
/// repeated fields the last one counts (data-model 2).
struct DialectFields<Field: DialectField> {
  private var nodes = [16 of Node](repeating: .none)

  subscript(field: Field) -> Node { nodes[Int(field.rawValue)] }

  /// Notes the value at `node` of the field at `index`.
  @inline(__always)
  mutating func note(_ node: Node, at index: Int) { nodes[index] = node }
}

extension RootFields {
  /// Takes the fields that the dialect reads out of those that no dialect knows.
  ///
  /// What a name is to the dialect is remembered in `cache`; the lowest byte is the index that
  /// ``DialectField/index(of:)`` tells, the others are the dialect's. Complexity: O(fields nobody
  /// knows).
  func take<Field: DialectField>(
    _ type: Field.Type, of tape: Tape, _ cache: NameInfoCache<UInt32>,
    info: (_ name: ByteView) -> UInt32 = { Field.index(of: $0) }
  ) -> DialectFields<Field> {
    var fields = DialectFields<Field>()
    keepUnknown { key in
      let entry = tape[key]
      let info = cache.info(of: entry.number, in: tape) { info(tape.bytes(entry)) }
      let index = Int(info & 0xFF)
      guard index != 0xFF else { return true }
      fields.note(tape[key.index + 1].kind == .null ? .none : key.next, at: index)
      return false
    }
    return fields
  }
}
