/// The form a record is written in (data-model 3, docs/dialects.md): its place in the
/// ``DialectRegistry``, in one byte.
///
/// Nothing after the reader depends on it, except the count per dialect. Numbers follow from the
/// order in which dialects are told, so none may reach an output: outputs have the ``name``.
@frozen
package struct Dialect: BitwiseCopyable, Hashable, Sendable {
  /// The place in the registry.
  package let number: UInt8

  package init(number: UInt8) { self.number = number }

  /// The canonical form, which is told first.
  package static var v2: Dialect { Dialect(number: 0) }
  /// The forms of the server's first API.
  package static let v1 = Dialect(V1Dialect.self)

  /// The number of a dialect that is registered.
  private init(_ type: any RecordDialect.Type) {
    guard let place = DialectRegistry.all.firstIndex(where: { $0 == type }) else {
      preconditionFailure("\(type) is not registered")
    }
    number = UInt8(place)
  }

  /// The dialect of that name, or nil.
  package init?(named name: String) {
    guard let dialect = Dialect.allCases.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  /// The name in reports, rejects, states and options.
  package var name: String { Dialect.names[Int(number)] }

  /// Bytes of its longest line, where nobody set another limit.
  var longestLine: Int { DialectRegistry.all[Int(number)].longestLine }

  /// Whether its lines are written with commas behind the last member or item.
  var hasTrailingCommas: Bool { DialectRegistry.all[Int(number)].hasTrailingCommas }

  /// The fields that lines of each dialect are identified by, in words.
  static let identifyingFields = DialectRegistry.all.map { dialect in
    "\(dialect.name) by \(dialect.identifyingFields.map { "\($0)" }.joined(separator: ", "))"
  }.joined(separator: "; ")

  private static let names = DialectRegistry.all.map { "\($0.name)" }
}

extension Dialect: CaseIterable {
  /// Every dialect, in the order in which they are told.
  package static let allCases = DialectRegistry.all.indices.map { Dialect(number: UInt8($0)) }
}

/// What of a record stands where, and so which rules hold for it: all that the stages after the
/// reader need to know of a dialect.
package enum RecordForm: UInt8, BitwiseCopyable, Sendable {
  /// Parts stand in the line as v1 has them; the limits of v1 (data-model 7), and the migration.
  case v1
  /// Parts stand in the line as v2 has them; the limits of v2.
  case v2
  /// The reader has drafted the parts as v2 has them, behind the line; the limits of v2.
  case drafted
}
