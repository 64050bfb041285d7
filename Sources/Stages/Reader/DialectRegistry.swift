/// The readers of all dialects. With the rows of ``Dialect`` this is the only list of them;
/// detection, `--dialect`, the counts per dialect, states and reports are derived from it.
package enum DialectRegistry {
  /// In the order of the rows: a dialect's number is its index in both.
  package static let all: [any RecordDialect.Type] = [
    V2Dialect.self,
    ActionDialect.self,
    BoltsDialect.self,
    PulseDialect.self,
    SDKDialect.self,
    RealmDialect.self,
    V1Dialect.self,
  ]
}
