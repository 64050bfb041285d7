import Pipeline

/// A form of records: how its lines are detected and read. Adding one is a folder, a row of
/// ``Dialect`` and a line in the ``DialectRegistry``; see docs/reference/dialects.md. It has no
/// state.
package protocol RecordDialect: SendableMetatype {
  /// The layout of its records; usually that of canonical records that the reader drafts.
  static var form: RecordForm { get }

  /// Dialects that must not match the same line: then it is ambiguous.
  static var rivals: [any RecordDialect.Type] { get }

  /// The names of the root fields that identify the line, with spaces between them, or nil. Called
  /// after the dialects before it; `isFixed` if `--dialect` sets this one for all lines.
  static func evidence(in line: RootFields, of batch: RecordBatch, isFixed: Bool) -> StaticString?

  /// Reads the line, whose fields are in `reader.root`, into the batch: events and operations
  /// there, owner and time in `record`. Undefined fields are counted as unknown.
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

extension RecordDialect {
  static var form: RecordForm { .drafted }
  static var rivals: [any RecordDialect.Type] { [] }
}

/// The readers of all dialects. With the rows of ``Dialect`` this is the only list of them.
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

/// The result of detecting the dialect of a line (dialects 1).
package enum Detection {
  case found(Dialect)
  /// Two rival dialects match the line.
  case ambiguous(Dialect, Dialect)
  case unknown

  /// Hardly any event name is as long in bytes, prefix included (data-model 6): a longer `name` may
  /// be that of a notification (``BoltsDialect``).
  static var notificationName: Int { Characters.longestName + 3 }

  /// Detects the dialect of the line with these root fields: the first that matches wins, unless a
  /// rival matches, too. `fixed` is the only dialect that is read, or nil.
  package static func of(_ line: RootFields, in batch: RecordBatch, fixed: Dialect?) -> Detection {
    let all = DialectRegistry.all
    func isMatch(_ number: Int) -> Bool {
      let isFixed = fixed.map { Int($0.number) == number } ?? false
      return all[number].evidence(in: line, of: batch, isFixed: isFixed) != nil
    }
    var rest = hasLongName(line, batch.tape) ? .max : Dialect.candidates(line.present)
    while rest.trailingZeroBitCount < all.count {
      let number = rest.trailingZeroBitCount
      rest &= rest - 1
      guard isMatch(number) else { continue }
      let dialect = Dialect(number: UInt8(number))
      for rival in all[number].rivals {
        guard let other = all.firstIndex(where: { $0 == rival }), isMatch(other) else { continue }
        return .ambiguous(dialect, Dialect(number: UInt8(other)))
      }
      return .found(dialect)
    }
    return .unknown
  }

  /// Whether only v2 and v1 can match the line, each by one of its identifying fields.
  @inline(__always)
  static func isUsual(_ root: RootFields, _ tape: Tape) -> Bool {
    root.present & RootField.foreign == 0 && !hasLongName(root, tape)
  }

  /// Whether a line has a `name` that may be that of a notification.
  private static func hasLongName(_ root: RootFields, _ tape: Tape) -> Bool {
    root.has(.name) && tape[root[.name]].length >= notificationName
  }
}
