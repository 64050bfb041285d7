package import Pipeline

/// Why a published profile has the values that it has (`eventmill inspect --why`).
package struct WhyAnswer {
  /// A statement, and what became of it.
  package struct Judged {
    package enum Outcome: String, Sendable {
      /// It counts.
      case won
      /// It says the same of the same time as one that won.
      case same
      case lost
      /// The output was made without it.
      case unknown
    }

    package let outcome: Outcome
    /// `set`, `unset`, `add`, `remove`, `clear`, `erase`, `event`, `link` or `state`.
    package let kind: String
    /// The key that it is about.
    package let key: String
    /// In milliseconds since 1970; nil of an event without a time.
    package let time: Int?
    /// As JSON; nil where there is none.
    package let value: String?
    /// How many events of the state it stands for; nil of statements of logs.
    package let count: Int?
    /// Whether another delivery of the same event counts.
    package let isDuplicate: Bool
    /// Where a log has it; nil if it comes from the state.
    package let site: LogSite?
    /// Why it did not win; empty if it did.
    package let why: String
  }

  /// What the output has, and the statements behind it: those that won first.
  package struct Register {
    package let name: String
    /// As JSON; nil if nothing is published.
    package let published: String?
    package let statements: [Judged]
  }

  package let profile: JSONValue
  /// The installation that was asked for, if it is part of the person.
  package let installation: String?
  package let keys: [String]
  /// Of each installation: whom it is linked to.
  package let links: [Register]
  package let attributes: [Register]
  package let events: [Register]
  /// The fields of registers of one value: where it was, whether it has opted out.
  package let fields: [Register]
  /// Clears and erase marks.
  package let marks: [Judged]
}
