import Pipeline

/// How synthetic logs of one dialect look: what a good line is, and which faults there are.
///
/// Adding one is one file beside this one and one line in ``DialectLogs``. Whose line it is and
/// when it was written is given; what stands in it follows from `draft.random`. Nothing is
/// allocated per line.
protocol DialectLog: SendableMetatype {
  /// As it stands behind `--dialect`.
  static var name: StaticString { get }

  /// Lines with every fault that the dialect can have, those that are typical of it first. They
  /// take turns in this order, so a few bad lines show the first of them.
  static var faults: [FaultyLine] { get }

  /// Appends a line that loses nothing, without its line end. Complexity: O(bytes of the line).
  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer)
}

/// Every dialect that logs can be made of.
enum DialectLogs {
  /// In the order in which help and documents name them.
  static let all: [any DialectLog.Type] = [
    V1Log.self, V2Log.self, SDKLog.self, ActionLog.self, BoltsLog.self, RealmLog.self,
    PulseLog.self,
  ]

  /// What `--dialect` may name.
  static let names = all.map { "\($0.name)" }

  /// The dialect of that name; the name must be one of ``names``.
  static func named(_ name: String) -> any DialectLog.Type {
    guard let log = all.first(where: { "\($0.name)" == name }) else {
      preconditionFailure("there are no synthetic logs of \(name)")
    }
    return log
  }
}
