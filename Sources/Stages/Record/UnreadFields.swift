package import Pipeline

/// The treatment of a field that no rule reads (`--unknown-fields`, data-model "Unknown fields").
package enum UnknownFieldPolicy: String, CaseIterable, Sendable {
  /// It is omitted, and counted as a loss.
  case drop
  /// It becomes an attribute of its event, if it belongs to one.
  case keep
  /// Its event is rejected, or its line if it belongs to no single event.
  case reject
}

/// A field that no reader reads: an unknown one, or a second name for the same thing.
package struct UnreadField: BitwiseCopyable, Sendable {
  /// Tape index of its key.
  package let key: Node
  /// ``ReasonCode/unknownField`` or another loss.
  package let code: ReasonCode
  fileprivate let pathStart: UInt32
  fileprivate let pathLength: UInt32
}

/// The unread fields of a block, with their paths, in the order in which the reader found them.
package struct UnreadFields: ~Copyable {
  private var fields = PlainList<UnreadField>()
  private var paths = ByteBuffer(capacity: 256)

  package var count: Int { fields.count }

  package subscript(index: Int) -> UnreadField { fields[index] }

  /// The path of `field`, from its event or its line; valid until the list changes.
  package func path(_ field: UnreadField) -> ByteView {
    paths[Int(field.pathStart)..<Int(field.pathStart) + Int(field.pathLength)]
  }

  mutating func add(_ code: ReasonCode, key: Node, in path: FieldPath, of tape: Tape) {
    var path = path
    path.push(key: key.index)
    add(code, item: path, ofKey: key, of: tape)
  }

  mutating func add(_ code: ReasonCode, item path: FieldPath, ofKey key: Node, of tape: Tape) {
    let start = paths.count
    path.render(of: tape, into: &paths)
    fields.append(
      UnreadField(
        key: key, code: code, pathStart: UInt32(start), pathLength: UInt32(paths.count - start)))
  }

  /// Sorts the fields of `range` into source order, and returns their range.
  mutating func sort(_ range: Range<Int>) -> ReasonRange {
    fields.sort(from: range.lowerBound, to: range.upperBound) { $0.key < $1.key }
    return ReasonRange(start: UInt32(range.lowerBound), count: UInt32(range.count))
  }

  mutating func recycle() {
    fields.recycle()
    paths.removeAll()
    paths.shrink(to: RetainedCapacity.bytes)
  }
}
