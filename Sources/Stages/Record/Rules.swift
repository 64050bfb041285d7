import Pipeline

/// The treatment of a v1 event that breaks a v1 limit (data-model 8).
package enum V1Policy: String, CaseIterable, Sendable {
  /// The event is rejected, as the server API does.
  case strict
  /// The invalid part is dropped and counted as a loss, as the v1 SDKs do.
  case lenient
}

/// The treatment of a field that no rule reads (`--unknown-fields`, data-model "Unknown fields").
package enum UnknownFieldPolicy: String, CaseIterable, Sendable {
  /// It is omitted, and counted as a loss.
  case drop
  /// It becomes an attribute of its event, if it belongs to one.
  case keep
  /// Its event is rejected, or its line if it belongs to no single event.
  case reject
}

/// The options that decide the meaning of a line; the same for every input (data-model 3, 7).
package struct Rules: Sendable, Equatable {
  /// Longest line by default, in bytes without line end (data-model 2).
  package static let defaultMaxLine = 16 << 20
  /// The greatest allowed limit for a line, in bytes. The data kept of a line can be several times
  /// its length, and that of a block must stay below 4 GiB.
  package static let longestLine = 256 << 20
  /// The range of event times: from 2000-01-01T00:00:00Z to before 2100-01-01T00:00:00Z, in
  /// milliseconds (data-model 16).
  package static let earliestTime = 946_684_800_000
  package static let endOfTime = 4_102_444_800_000

  /// Dates of attributes outside of the years 1900 to 2100 get a remark (data-model 19).
  static let plausibleDates = -2_208_988_800_000..<4_133_980_800_000

  static func isTime(_ time: Int) -> Bool { earliestTime..<endOfTime ~= time }

  package var v1 = V1Policy.strict
  package var unknownFields = UnknownFieldPolicy.drop
  /// The only dialect accepted; nil = detected by each line's form.
  package var dialect: Dialect?
  /// Replaces a missing event or record time. All times in milliseconds.
  package var defaultTime: Int?
  /// Events before or after these are rejected.
  package var notBefore: Int?
  package var notAfter: Int?
  /// Events before `since`, and at `until` or later, are outside: only their number is recorded.
  package var since: Int?
  package var until: Int?
  /// Longest line in bytes, without line end, CR and BOM.
  package var maxLine = Rules.defaultMaxLine
  /// Whether dialects with longer lines may have them (dialects 6): unless ``maxLine`` was set.
  package var raisesMaxLine = true
  package var placeholders = Placeholders.standard
  package var foreign = ForeignRules()
  /// The dialects that files describe, which take precedence over the built-in ones.
  package var mappings = Mappings()

  /// Bytes of the longest line that must be read to decide whether it is too long.
  package var longestLine: Int {
    raisesMaxLine ? max(maxLine, dialect?.row.longestLine ?? Dialect.longestLine) : maxLine
  }

  package func maxLine(of dialect: Dialect) -> Int {
    raisesMaxLine ? max(maxLine, dialect.row.longestLine) : maxLine
  }

  /// Whether a line that is not JSON is repaired (data-model 2): on request, or in such dialects.
  package var repairs: Bool { foreign.repairs || dialect?.row.hasTrailingCommas ?? false }

  package init() {}

  /// Whether a line with only root fields of the mapping's paths is certainly of no other dialect.
  func describesAlone(_ mapping: Mapping) -> Bool {
    if let dialect { return dialect == mapping.dialect }
    return mappings.all.allSatisfy { other in
      other === mapping
        || !other.requiredFields.contains { fields in
          fields.allSatisfy { mapping.hasRootField($0, mappings.words) }
        }
    }
  }

  func wants(_ time: Int) -> Bool { time >= since ?? .min && time < until ?? .max }
}

/// The treatment of an event of a foreign dialect that breaks a limit of v2 (dialects 4).
package enum ForeignPolicy: String, CaseIterable, Sendable {
  /// The excess is cut and counted as a loss: such history cannot be sent again.
  case tolerant
  /// The event is rejected, for the reason that would have been the loss.
  case strict
}

/// How much is kept of database objects in audit records (dialects 6).
package enum RealmObjects: String, CaseIterable, Sendable {
  /// What was read, and the values before and after a change.
  case all
  /// Only their number: less personal data.
  case none
}

/// The options that decide the meaning of a line of a foreign dialect (dialects 4).
package struct ForeignRules: Sendable, Equatable {
  package var policy = ForeignPolicy.tolerant
  /// The fields that identify the owner of a record, where its dialect has no field for that.
  package var identityKeys = IdentityKeys.default
  package var realmObjects = RealmObjects.all
  package var repairs = false
}

extension Tape {
  /// The time at `node`, in milliseconds: a text, or a number of them; it may be out of range.
  func milliseconds(at node: Node) -> Int? {
    switch self[node].kind {
    case .string: Timestamp.parse(bytes(at: node))
    case .integer, .double: DecimalNumber.milliseconds(bytes(at: node), per: .milliseconds)
    default: nil
    }
  }
}
