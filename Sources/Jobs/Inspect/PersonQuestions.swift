package import Pipeline
package import Stages

/// Answers questions about published profiles from the state of an output, and from logs.
package struct PersonQuestions {
  let lookup: ProfileLookup
  let logs: [String]
  let mappings: Mappings
  let jobs: Int

  /// Questions about the output of `lookup`, for which `logs` are read, with the mappings of the
  /// run that made it, on `jobs` lanes.
  package init(
    _ lookup: ProfileLookup, logs: [String], mappings: Mappings = Mappings(), jobs: Int
  ) { (self.lookup, self.logs, self.mappings, self.jobs) = (lookup, logs, mappings, jobs) }

  /// Why `profile` has its values; `installation` is the requested one.
  /// - Throws: `corrupt`, `io`, `usage`; `limit`, when logs have too many parts about the person.
  package func why(
    _ profile: JSONValue, installation: String?
  ) throws(Failure) -> WhyAnswer {
    let texts = TextStore()
    let person = try lookup.person(profile, texts)
    let found = logs.isEmpty ? PersonFindings() : try read(person, texts)
    let elsewhere = try found.elsewhere.keys.sorted().map { key throws(Failure) in
      (key: key, state: try lookup.state(of: key, texts))
    }
    let stitch = lookup.run.manifest.stitch
    return Why(person, elsewhere, found, lookup.names.lists, stitch, texts)
      .answer(profile, installation: installation)
  }

  /// The parts of the logs about `profile`, or about `id` if nothing is published of it, in order
  /// of time; the logs that could not be read to their end; and those that the output does not
  /// have.
  package func history(
    of profile: JSONValue?, _ id: String
  ) throws(Failure) -> (parts: [LoggedPart], lost: [Failure], unread: [UnreadLog]) {
    let texts = TextStore()
    let person = try profile.map { profile throws(Failure) in try lookup.person(profile, texts) }
    let found = try read(person ?? lookup.stranger(id, texts), texts)
    return (found.parts, found.lost, found.unreadLogs)
  }
}

/// Why a published profile has its values (`eventmill inspect --why`).
package struct WhyAnswer {
  package struct Judged {
    package enum Outcome: String, CaseIterable, Sendable {
      case won
      /// It equals one that won, with the same time.
      case same
      case lost
      /// The output was made without it.
      case unknown
    }

    package let outcome: Outcome
    /// `set`, `unset`, `add`, `remove`, `clear`, `erase`, `event`, `link` or `state`.
    package let kind: String
    package let key: String
    /// In milliseconds since 1970; nil for an event without a time.
    package let time: Int?
    /// As JSON; nil without one.
    package let value: String?
    /// Number of events of the state that it represents; nil for statements of logs.
    package let count: Int?
    /// Whether another delivery of the same event counts.
    package let isDuplicate: Bool
    /// The position in a log; nil if it comes from the state.
    package let site: LogSite?
    /// The reason that it did not win; empty if it did.
    package let why: String
  }

  /// A published value, and the statements behind it: winners first.
  package struct Register {
    package let name: String
    /// As JSON; nil if nothing is published.
    package let published: String?
    package let statements: [Judged]
  }

  package let profile: JSONValue
  /// The requested installation, if it is part of the person.
  package let installation: String?
  package let keys: [String]
  /// The link of each installation, and of those of other people that a line links to this one.
  package let links: [Register]
  package let attributes: [Register]
  package let events: [Register]
  /// The fields of registers with one value: location, opt-out.
  package let fields: [Register]
  package let marks: [Judged]
  /// Logs that could not be read to their end, so that statements may be missing.
  package let lost: [Failure]
  /// Logs that the output was made without.
  package let unread: [UnreadLog]
}
