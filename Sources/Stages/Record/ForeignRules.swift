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
  /// Which members say whose a record is, where its dialect has no place for that.
  package var identityKeys = IdentityKeys.default
  /// What is kept of database objects.
  package var realmObjects = RealmObjects.all
  /// Whether lines that are no JSON are read without trailing commas, if they are JSON then.
  package var repairs = false

  package init() {}
}
