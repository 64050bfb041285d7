/// Counts whose layout defines writing, reading and adding: a new count is a property and a row.
package protocol LaidOutCounts {
  /// The layout of the counts in a document.
  static var layout: [CountLayout<Self>] { get }

  init()
}

/// The layout of counts in a JSON object.
///
/// ```swift
/// static let layout: [CountLayout<Self>] = [
///   .group("lines", [.count("total", \.lines), .count("blank", \.blank)]),
///   .count("remaining", \.remaining),
/// ]                                     // {"lines":{"total":3,"blank":1},"remaining":2}
/// ```
package enum CountLayout<Counts>: Sendable {
  package typealias Field = any WritableKeyPath<Counts, Int> & Sendable

  /// A count.
  case count(StaticString, Field)
  /// A count that is omitted when it is 0.
  case optional(StaticString, Field)
  /// An object of counts.
  indirect case group(StaticString, [CountLayout])

  /// Adds the counts of this part of the layout in `other`.
  package func add(_ other: Counts, to counts: inout Counts) {
    switch self {
    case .count(_, let field), .optional(_, let field):
      counts[keyPath: field] += other[keyPath: field]
    case .group(_, let rows): for row in rows { row.add(other, to: &counts) }
    }
  }

  fileprivate func write(_ counts: Counts, to json: inout JSONWriter) {
    switch self {
    case .count(let name, let field): json.member(name, counts[keyPath: field])
    case .optional(let name, let field):
      if counts[keyPath: field] != 0 { json.member(name, counts[keyPath: field]) }
    case .group(let name, let rows):
      json.object(name) { json in for row in rows { row.write(counts, to: &json) } }
    }
  }

  fileprivate func read<Damage: Error>(
    _ object: JSONValue?, _ group: String, into counts: inout Counts,
    _ count: (_ value: JSONValue?, _ name: String) throws(Damage) -> Int
  ) throws(Damage) {
    switch self {
    case .count(let name, let field):
      counts[keyPath: field] = try count(object?[name], "\(group)\(name)")
    case .optional(let name, let field):
      guard let value = object?[name] else { return }
      counts[keyPath: field] = try count(value, "\(group)\(name)")
    case .group(let name, let rows):
      for row in rows { try row.read(object?[name], "\(group)\(name).", into: &counts, count) }
    }
  }
}

extension LaidOutCounts {
  /// Adds the counts of `other`.
  package mutating func add(_ other: Self) {
    for row in Self.layout { row.add(other, to: &self) }
  }

  /// Writes the counts as the field `key` of the open object.
  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.object(key) { json in writeCounts(to: &json) }
  }

  /// Writes the counts as fields of the open object.
  package func writeCounts(to json: inout JSONWriter) {
    for row in Self.layout { row.write(self, to: &json) }
  }

  /// Reads the counts from fields of `object`: `count` converts a value to its number.
  /// - Throws: what `count` throws, for the first number that is missing or invalid.
  package init<Damage: Error>(
    countsOf object: JSONValue?,
    _ count: (_ value: JSONValue?, _ name: String) throws(Damage) -> Int
  ) throws(Damage) {
    self.init()
    for row in Self.layout { try row.read(object, "", into: &self, count) }
  }

  /// Reads the counts from fields of `object`; nil when one is missing or not credible.
  package init?(_ object: JSONValue) {
    var isWhole = true
    self.init(countsOf: object) { value, _ in
      if let count = value?.count { return count }
      isWhole = false
      return 0
    }
    if !isWhole { return nil }
  }
}

extension JSONValue {
  /// A credible count: sums of as many as fit in a document (``JSONDocument/longest``) fit in 64
  /// bits.
  package var count: Int? { int.flatMap { 0...1 << 39 ~= $0 ? $0 : nil } }
}
