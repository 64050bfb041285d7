import Pipeline

/// Every dialect that the program reads. This list is the only place that names them all:
/// detection, `--dialect`, the counts per dialect, states and reports follow from it.
package enum DialectRegistry {
  /// In the order in which they are told (dialects 1): of several that a line could be of, the
  /// first counts. The canonical form stays first, because ``Dialect/v2`` says so.
  package static let all: [any RecordDialect.Type] = [
    V2Dialect.self,
    ActionDialect.self,
    BoltsDialect.self,
    PulseDialect.self,
    SDKDialect.self,
    RealmDialect.self,
    V1Dialect.self,
  ]

  /// Most dialects there can be: each has a bit in a set of them.
  static let most = 32

  /// Bytes of the longest line that any dialect has, where nobody set another limit.
  static let longestLine = all.map { $0.longestLine }.max() ?? Rules.defaultMaxLine

  /// The bits of the dialects without marks.
  static let unmarked: UInt32 = {
    precondition(all.count <= most, "a set of dialects has no more bits")
    return all.indices.reduce(0) { all[$1].marks.isEmpty ? $0 | 1 << UInt32($1) : $0 }
  }()

  /// The bits of the dialects that a root member called `name` is a mark of.
  /// Complexity: O(marks); asked once per name, not once per line.
  static func marked(by name: ByteView) -> UInt32 {
    var bits: UInt32 = 0
    for (number, dialect) in all.enumerated()
    where dialect.marks.contains(where: { ByteView($0) == name }) {
      bits |= 1 << UInt32(number)
    }
    return bits
  }
}
