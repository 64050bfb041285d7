/// Which texts of a value come from lines of logs, and may name people: an erasure removes them,
/// and a search for people looks into them. Derived from the rows of its type.
package indirect enum Origin: Sendable {
  /// Names of an object.
  package enum Names: Sendable {
    case program
    case lines
    /// From lines; those that are removed count as `other`.
    case counted
  }

  /// None of them.
  case program
  /// All of them.
  case lines
  /// Those of the fields of an object.
  case fields([String: Origin])
  /// Those of the items of an array.
  case items(Origin)
  /// Those of an object whose names are data.
  case named(Names, Origin)

  /// The origin of the names of an object.
  package var names: Names {
    if case .named(let names, _) = self { names } else { .program }
  }

  /// The origin of the value of a field, or of an item. In an object with texts from lines, those
  /// of unknown fields, which another version has written, are such, too.
  package subscript(name: String?) -> Origin {
    switch self {
    case .program, .lines: self
    case .items(let item): item
    case .named(_, let value): value
    case .fields(let fields): name.flatMap { fields[$0] } ?? (hasLines ? .lines : .program)
    }
  }

  /// Whether any text comes from lines.
  package var isOfLines: Bool {
    switch self {
    case .program: false
    case .lines: true
    case .fields(let fields): fields.values.contains(where: \.isOfLines)
    case .items(let item): item.isOfLines
    case .named(let names, let value): names != .program || value.isOfLines
    }
  }

  /// Whether it is an object with such a text.
  private var hasLines: Bool {
    guard case .fields(let fields) = self else { return false }
    return fields.values.contains { if case .lines = $0 { true } else { false } }
  }
}
