import Pipeline
import Stages

/// What was erased for a request, in documents between processes.
struct ErasedRequest: Document {
  private(set) var request = 0
  private(set) var parts = ErasedParts()

  static let fields: [Field<ErasedRequest>] = [
    .value("request", \.request), .part(\.parts), .value("newest", \.parts.newest, unless: .min),
  ]

  func check() throws(DocumentDamage) {
    guard 1...Erasures.maximumCount ~= request,
      parts.newest == .min || Rules.earliestTime..<Rules.endOfTime ~= parts.newest
    else { throw DocumentDamage("has a request or a time that is not possible") }
  }

  /// What was erased, in the order of the requests.
  static func list(_ erased: [Int: ErasedParts]) -> [ErasedRequest] {
    erased.sorted { $0.key < $1.key }.map { ErasedRequest(request: $0.key, parts: $0.value) }
  }

  /// By the number of the request.
  static func table(_ list: [ErasedRequest]) -> [Int: ErasedParts] {
    list.reduce(into: [:]) { $0[$1.request, default: ErasedParts()].add($1.parts) }
  }
}

/// Suppressed data of a key, in documents between processes.
struct KeptBack: Document {
  private(set) var key = Fingerprint.none
  private(set) var tally = SuppressedTally()

  static let fields: [Field<KeptBack>] = [.value("key", \.key), .part(\.tally)]

  func check() throws(DocumentDamage) {
    guard Rules.earliestTime..<Rules.endOfTime ~= tally.newest else {
      throw DocumentDamage("has a time that is not possible")
    }
  }

  /// All of it, sorted by the digests.
  static func list(_ table: SuppressedTally.Table) -> [KeptBack] {
    table.sorted { $0.key < $1.key }.map { KeptBack(key: $0.key, tally: $0.value) }
  }

  /// By the digest of the key.
  static func table(_ list: [KeptBack]) -> SuppressedTally.Table {
    list.reduce(into: [:]) { $0[$1.key, default: SuppressedTally()].add($1.tally) }
  }
}

extension TallyFacts {
  /// Adds another table.
  mutating func add(_ other: SuppressedTally.Table) {
    suppressed.merge(other) { one, other in
      var sum = one
      sum.add(other)
      return sum
    }
  }
}
