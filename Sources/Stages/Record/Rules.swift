/// What to do with a v1 event that breaks a v1 limit (data-model 8).
package enum V1Policy: String, CaseIterable, Sendable {
  /// The event is rejected, as the server API does.
  case strict
  /// The bad part is dropped and counted as a loss, as the v1 SDKs do.
  case lenient
}

/// The options that decide what a line means; the same for every input of a run (data-model 3, 7).
package struct Rules: Sendable, Equatable {
  /// Longest line by default, in bytes without line end (data-model 2).
  package static let defaultMaxLine = 16 << 20
  /// The longest line that may be allowed, in bytes. What is kept of a line can be some times its
  /// length, and a block's share of that must stay below 4 GiB.
  package static let longestLine = 256 << 20
  /// Event times before this are out of range: 2000-01-01T00:00:00Z, in milliseconds (data-model
  /// 16).
  package static let earliestTime = 946_684_800_000
  /// Event times from this on are out of range: 2100-01-01T00:00:00Z, in milliseconds (data-model
  /// 16).
  package static let endOfTime = 4_102_444_800_000

  package var v1 = V1Policy.strict
  /// What becomes of fields that no rule reads.
  package var unknownFields = UnknownFieldPolicy.drop
  /// The only dialect accepted; nil = told by each line's own form.
  package var dialect: Dialect?
  /// Stands in for a missing event or record time, in milliseconds.
  package var defaultTime: Int?
  /// Events before this are rejected, in milliseconds.
  package var notBefore: Int?
  /// Events after this are rejected, in milliseconds.
  package var notAfter: Int?
  /// Events before this are outside: counted as such, and nothing else; in milliseconds.
  package var since: Int?
  /// Events at this time or later are outside, in milliseconds.
  package var until: Int?
  /// Longest line in bytes, without line end, CR and BOM.
  package var maxLine = Rules.defaultMaxLine
  /// Whether dialects with longer lines may have them (dialects 6): unless somebody set
  /// ``maxLine``.
  package var raisesMaxLine = true
  /// What the lines of foreign dialects mean.
  package var foreign = ForeignRules()
  /// The dialects that files describe, which come before the built-in ones.
  package var mappings = Mappings()

  /// Bytes of the longest line that has to be looked at to tell whether it is too long.
  package var longestLine: Int {
    guard raisesMaxLine else { return maxLine }
    if let dialect { return max(maxLine, dialect.row.longestLine) }
    return max(maxLine, Dialect.longestLine)
  }

  /// Bytes of the longest line of `dialect`.
  package func maxLine(of dialect: Dialect) -> Int {
    raisesMaxLine ? max(maxLine, dialect.row.longestLine) : maxLine
  }

  /// Whether a line that is no JSON is read without trailing commas: on demand, and where all lines
  /// are of a dialect that is known to be written with them.
  package var repairs: Bool { foreign.repairs || dialect?.row.hasTrailingCommas ?? false }

  package init() {}

  /// Whether a valid event of that time is wanted.
  func wants(_ time: Int) -> Bool { time >= since ?? .min && time < until ?? .max }
}

/// What to do with an event of a foreign dialect that breaks a limit of v2 (dialects 4).
package enum ForeignPolicy: String, CaseIterable, Sendable {
  /// What is too much is cut, and counted as a loss: such history cannot be sent again.
  case tolerant
  /// The event is rejected, for the reason that would have been the loss.
  case strict
}

/// How much of database objects is kept that records of an audit hold (dialects 6).
package enum RealmObjects: String, CaseIterable, Sendable {
  /// What was read, and what it was before and after a change.
  case all
  /// Only how many there were: less personal data.
  case none
}

/// The options that decide what a line of a foreign dialect means (dialects 4).
package struct ForeignRules: Sendable, Equatable {
  /// What to do with what breaks a limit.
  package var policy = ForeignPolicy.tolerant
  /// Which members say whose a record is, where its dialect has no field for that.
  package var identityKeys = IdentityKeys.default
  /// What is kept of database objects.
  package var realmObjects = RealmObjects.all
  /// Whether lines that are no JSON are read without trailing commas, if they are JSON then.
  package var repairs = false

  package init() {}
}
