package import Pipeline

/// Why a published profile has its values (`eventmill inspect --why`).
package struct WhyAnswer {
  /// A statement, and its outcome.
  package struct Judged {
    package enum Outcome: String, CaseIterable, Sendable {
      /// It counts.
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
    /// Why it did not win; empty if it did.
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
  /// Clears and erase marks.
  package let marks: [Judged]
  /// Logs that could not be read to their end, so that statements may be missing.
  package let lost: [Failure]
  /// Logs that the output was made without.
  package let unread: [UnreadLog]
}
