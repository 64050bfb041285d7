import Pipeline

/// Counts of names, such as those of lost unknown fields, the most frequent first.
package struct UnknownFieldCounts: Sendable, Equatable {
  /// Names in a summary.
  private static let mostShown = 3
  /// Scalars of a name in it.
  private static let longestTold = 40

  /// The sum of all counts.
  package let total: Int
  private let names: [Name]
  private let others: Int

  private struct Name: Equatable {
    let name: String
    let count: Int
  }

  init(named: [(name: String, count: Int)], others: Int) {
    // Equally frequent ones by bytes, as in the list.
    names = named.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map { Name(name: $0.element.name, count: $0.element.count) }
    self.others = others
    total = names.reduce(others) { $0 + $1.count }
  }

  /// `amount 800, currency 300, sku 12 and 40 of other names`; names that are not plain words are
  /// in quotes.
  package var mostFrequent: String {
    var shown = names.prefix(Self.mostShown).map {
      "\(Self.shown($0.name)) \(NumberFormat.grouped($0.count))"
    }.joined(separator: ", ")
    let rest = names.dropFirst(Self.mostShown).reduce(others) { $0 + $1.count }
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
    var text = scalars.prefix(longestTold).map { scalar in
      scalar.escaped(asASCII: !scalar.isVisible)
    }.joined()
    if scalars.count > longestTold { text += "…" }
    return isPlain ? text : "\"\(text)\""
  }
}
