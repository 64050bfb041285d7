import Pipeline

/// A form of records: how its lines are read. Adding one is a file, a row of ``Dialect`` and a line
/// in the ``DialectRegistry``; see docs/reference/dialects.md. It has no state.
protocol RecordDialect: SendableMetatype {
  /// Reads the line, whose fields are in `reader.root`, into the batch: events and operations
  /// there, owner and time in `record`. Undefined fields are counted as unknown.
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

/// The readers of all dialects. With the rows of ``Dialect`` this is the only list of them.
enum DialectRegistry {
  /// In the order of the rows: a dialect's number is its index in both.
  static let all: [any RecordDialect.Type] = [
    V2Dialect.self, ActionDialect.self, BoltsDialect.self, PulseDialect.self, SDKDialect.self,
    RealmDialect.self, V1Dialect.self,
  ]
}

/// The result of detecting the dialect of a line (dialects 1).
package enum Detection: Equatable {
  case found(Dialect)
  /// The line has another dialect than the only one that is read.
  case wrong(Dialect)
  /// Two rival dialects match the line.
  case ambiguous(Dialect, Dialect)
  case unknown

  /// Hardly any event name is as long in bytes, prefix included (data-model 6): a longer `name` may
  /// be that of a notification (``BoltsDialect``).
  static var notificationName: Int { Characters.longestName + 3 }

  /// Detects the dialect of the line with these root fields: the first that matches wins, unless a
  /// rival matches, too. `fixed` is the only dialect that is read, or nil.
  static func of(_ line: RootFields, in batch: RecordBatch, fixed: Dialect?) -> Detection {
    let present = line.present
    var found: Dialect?
    for (dialect, evidence) in Dialect.evidence
    where evidence.fields & ~present == 0
      && evidence.holds(for: line, in: batch, isFixed: dialect == fixed)
    {
      guard let first = found else {
        if Dialect.rows[Int(dialect.number)].rival == nil { return .found(dialect) }
        found = dialect
        continue
      }
      if dialect.name == first.row.rival { return .ambiguous(first, dialect) }
    }
    return found.map(Detection.found) ?? .unknown
  }
}

extension DialectEvidence {
  /// Whether the line has it; `isFixed` if an option sets this dialect for all lines.
  @inline(__always)
  func holds(for line: RootFields, in batch: RecordBatch, isFixed: Bool) -> Bool {
    line.present & fields == fields && line.present & absent == 0
      && (test == .nothing || passes(line, batch))
      && (isFixed || others == .max || line.hasOnly(fields | others, of: batch.tape))
  }

  private func passes(_ line: RootFields, _ batch: RecordBatch) -> Bool {
    let (node, tape) = (line.first(of: fields), batch.tape)
    switch test {
    case .nothing: return true
    case .isAction:
      return tape[node].kind == .array
        || tape[node].kind == .string && tape.bytes(at: node).starts(with: "batch.")
    case .hasEventName:
      var hasName = false
      tape.forEachMember(of: node.index) { key in
        if batch.field(of: tape[key]) == .eventName { hasName = tape[key + 1].kind != .null }
      }
      return hasName
    case .isNotification: return BoltsDialect.isNotification(node, tape)
    }
  }
}
