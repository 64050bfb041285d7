/// Which texts of a value come from lines of logs, and may name people: an erasure removes them,
/// and a search for people looks into them. Derived from the rows of its type.
package indirect enum Origin: Sendable {
  package enum Names: Sendable {
    case program
    case lines
    /// From lines; those that are removed count as `other`.
    case counted
  }

  case program
  case lines
  /// Those of the fields of an object, and of fields that another version has written.
  case fields([String: Origin], others: Bool)
  case items(Origin)
  /// Those of an object whose names are data.
  case named(Names, Origin)

  package var names: Names { if case .named(let names, _) = self { names } else { .program } }

  /// The fields of an object: where texts are from lines, those of unknown fields may be.
  static func fields(_ fields: [String: Origin]) -> Origin {
    .fields(fields, others: fields.values.contains(where: \.isOfLines))
  }

  /// The origin of the value of a field, or of an item.
  package subscript(name: String?) -> Origin {
    switch self {
    case .program, .lines: self
    case .items(let item): item
    case .named(_, let value): value
    case .fields(let fields, let others):
      name.flatMap { fields[$0] } ?? (others ? .lines : .program)
    }
  }

  package var isOfLines: Bool {
    switch self {
    case .program: false
    case .lines: true
    case .fields(let fields, let others): others || fields.values.contains(where: \.isOfLines)
    case .items(let item): item.isOfLines
    case .named(let names, let value): names != .program || value.isOfLines
    }
  }
}
