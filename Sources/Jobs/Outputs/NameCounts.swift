package import Pipeline
import Stages

/// Counts of names that come from lines, such as those of lost unknown fields.
package struct NameCounts: WrittenValue, Sendable, Equatable {
  private static let mostShown = 3
  private static let longestShown = 40

  /// The smallest names, sorted by bytes.
  package internal(set) var names: [NamedCount] = []
  /// The count of all other names.
  package internal(set) var others = 0

  package static let origin = Origin.named(.counted, .program)

  package var total: Int { names.reduce(others) { $0 + $1.count } }

  /// Counts the names that must not be reported among the others.
  mutating func forget(where isForgotten: (_ name: String) -> Bool) {
    others += names.reduce(0) { $0 + (isForgotten($1.name) ? $1.count : 0) }
    names.removeAll { isForgotten($0.name) }
  }

  /// Writes the count of each name, and as `other` that of those not listed or called so.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      var others = others
      for item in names {
        if others > 0, item.name == "other" {
          others += item.count
        } else {
          json.member(item.name, item.count)
        }
      }
      if others > 0 { json.member("other", others) }
    }
  }
}

extension NameCounts {
  init(_ fields: borrowing UnknownFields) { self.init(names: fields.sorted, others: fields.others) }

  init(merging parts: [NameCounts]) {
    // By bytes: two names can differ and still be equal as characters.
    var counts: [[UInt8]: Int] = [:]
    for item in parts.lazy.flatMap(\.names) {
      counts[Array(item.name.utf8), default: 0] += item.count
    }
    let sorted = counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
      NamedCount(String(decoding: $0.key, as: UTF8.self), $0.value)
    }
    names = Array(sorted.prefix(UnknownFields.mostNames))
    // A name that one of them has dropped is not among the smallest.
    others =
      sorted.dropFirst(UnknownFields.mostNames).reduce(0) { $0 + $1.count }
      + parts.reduce(0) { $0 + $1.others }
  }
}

extension NameCounts {
  /// `amount 800, currency 300, sku 12 and 40 of other names`, the most frequent first; names that
  /// are not plain words are in quotes.
  package var mostFrequent: String {
    let sorted = names.mostFrequentFirst(by: \.count)
    var shown = sorted.prefix(Self.mostShown).map {
      "\(Self.shown($0.name)) \(NumberFormat.grouped($0.count))"
    }.joined(separator: ", ")
    let rest = sorted.dropFirst(Self.mostShown).reduce(others) { $0 + $1.count }
    if rest > 0 {
      shown += "\(shown.isEmpty ? "" : " and ")\(NumberFormat.grouped(rest)) of other names"
    }
    return shown
  }

  private static func shown(_ name: String) -> String {
    let marks: [Character] = [".", "-", "_", "$"]
    let isPlain =
      !name.isEmpty
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || marks.contains($0) }
    let scalars = name.unicodeScalars
    // Invisible characters must have no effect on a terminal.
    var text = scalars.prefix(longestShown).map { scalar in
      scalar.escaped(asASCII: !scalar.isVisible)
    }.joined()
    if scalars.count > longestShown { text += "…" }
    return isPlain ? text : "\"\(text)\""
  }
}

extension Sequence {
  /// The elements with the greatest counts first; those with equal counts keep their order.
  package func mostFrequentFirst(by count: (Element) -> Int) -> [Element] {
    // Swift's sorting is stable.
    sorted { count($0) > count($1) }
  }
}

extension Array {
  /// The `most` elements with the greatest counts, in their order. Complexity: O(n log n).
  package func mostFrequent(_ most: Int, by count: (Element) -> Int) -> [Element] {
    if self.count <= most { return self }
    let counts = map(count)
    return indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
      .prefix(most).sorted().map { self[$0] }
  }
}
