package import Pipeline
package import Stages

/// What the two policies for v1 events would take and lose of the same lines (data-model 8), so
/// that somebody who has to choose can see what it costs.
///
/// Only v1 events that strict rejects make a difference: line-level reasons, operations and v2
/// events are the same in both, and of an event that strict takes lenient drops nothing. Sums, so
/// those of parts add up to that of the whole in any order. Empty, and without memory, where
/// nothing was met.
package struct PolicyComparison: Sendable, Equatable {
  /// The figures of one code.
  package struct Row: Sendable, Equatable {
    /// Events that strict rejects, among other reasons perhaps, for this one.
    package var rejected = 0
    /// How many of these lenient takes.
    package var saved = 0
    /// Parts that lenient drops of events that strict rejects.
    package var dropped = 0

    package init() {}

    mutating func add(_ other: Row) {
      rejected += other.rejected
      saved += other.saved
      dropped += other.dropped
    }
  }

  /// v1 events that strict rejects.
  package internal(set) var lostByStrict = 0
  /// v1 events that lenient rejects, too.
  package internal(set) var lostByLenient = 0
  /// By code, as ``ReasonCode`` numbers them; empty as long as there is nothing.
  private var rows: [Row] = []

  package init() {}

  /// Parts that lenient drops of the events that only it takes.
  package var droppedParts: Int { rows.reduce(0) { $0 + $1.dropped } }

  /// The codes that were met, in the order of ``ReasonCode``. What `$label` and `$tags` in a v1
  /// event are as losses stands under the reason that strict has for them.
  package var reasons: [(code: ReasonCode, row: Row)] {
    zip(ReasonCode.allCases, rows).compactMap { code, row in
      row == Row() ? nil : (code, row)
    }
  }

  /// The row of `code`, to be changed.
  subscript(code: ReasonCode) -> Row {
    get { rows.isEmpty ? Row() : rows[Int(code.rawValue)] }
    set {
      if rows.isEmpty { rows = Array(repeating: Row(), count: ReasonCode.allCases.count) }
      rows[Int(code.rawValue)] = newValue
    }
  }

  /// Adds what was met elsewhere.
  package mutating func add(_ other: PolicyComparison) {
    lostByStrict += other.lostByStrict
    lostByLenient += other.lostByLenient
    for (code, row) in other.reasons { self[code].add(row) }
  }
}

// MARK: - As JSON

extension PolicyComparison {
  /// Writes the comparison as a member of the object that is open.
  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.object(key) { json in
      json.object("strict") { json in json.member("lost_events", lostByStrict) }
      json.object("lenient") { json in
        json.member("lost_events", lostByLenient)
        json.member("lost_parts", droppedParts)
      }
      json.array("reasons") { json in
        for (code, row) in reasons {
          json.object { json in
            json.member("code", code.text)
            json.member("strict_rejects", row.rejected)
            json.member("lenient_saves", row.saved)
            json.member("lenient_drops", row.dropped)
          }
        }
      }
    }
  }

  /// Reads what ``write(_:to:)`` has written; nil for anything else.
  package init?(_ value: JSONValue) {
    guard let strict = Self.count(value["strict"]?["lost_events"]),
      let lenient = Self.count(value["lenient"]?["lost_events"]), let items = value["reasons"]
    else { return nil }
    (lostByStrict, lostByLenient) = (strict, lenient)
    for item in items.items {
      let text = item["code"]?.text
      guard let code = text.flatMap({ ReasonCode($0) }),
        let rejected = Self.count(item["strict_rejects"]),
        let saved = Self.count(item["lenient_saves"]),
        let dropped = Self.count(item["lenient_drops"])
      else { return nil }
      (self[code].rejected, self[code].saved, self[code].dropped) = (rejected, saved, dropped)
    }
  }

  /// Greatest count that is read: sums of as many as there are files fit 64 bits.
  private static let greatestCount = 1 << 40

  private static func count(_ value: JSONValue?) -> Int? {
    value?.int.flatMap { 0...greatestCount ~= $0 ? $0 : nil }
  }
}
