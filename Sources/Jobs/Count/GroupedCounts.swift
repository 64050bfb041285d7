package import Pipeline
package import Stages

/// Events per group and event name (`count --by`), sorted by the bytes of both.
package struct GroupedCounts: Sendable {
  package struct Row: Equatable, Sendable {
    /// A day, a time, a dialect, a path or a value; ``EventGrouping/none`` for events without one.
    package let group: String
    /// Empty where all names are together.
    package let name: String
    package fileprivate(set) var count: Int
    package var numbers = DecimalSum()
  }

  package let grouping: EventGrouping
  /// Groups with accepted events; groups of duplicates only are omitted.
  package let rows: [Row]
  package let duplicates: Int

  /// The groups that `pairs` number. Complexity: O(n log n) for n of them.
  init(_ totals: EventTotals, pairs: NameList, by group: EventGroup, withNames: Bool) {
    grouping = group.grouping
    duplicates = totals.duplicates
    var rows: [Row] = []
    var last: Pair?
    for pair in Self.sorted(pairs, group, withNames) where totals[pair.number].count > 0 {
      let count = totals[pair.number].count
      // By their bytes: texts that look alike can differ.
      if let last, last.group == pair.group, last.name == pair.name {
        rows[rows.count - 1].count += count
      } else {
        rows.append(Row(group: pair.group.text, name: pair.name.text, count: count))
      }
      last = pair
      if !pair.value.isEmpty { rows[rows.count - 1].numbers.add(pair.value, times: count) }
    }
    self.rows = rows
  }

  private typealias Pair = (group: ByteView, name: ByteView, value: ByteView, number: UInt32)

  /// The parts of all pairs, sorted by group, name and value.
  private static func sorted(_ pairs: NameList, _ group: EventGroup, _ withNames: Bool) -> [Pair] {
    (0..<pairs.count).map { number -> Pair in
      let pair = pairs[UInt32(number)]
      let end = pair.firstIndex(of: 0) ?? pair.count
      var (rest, value): (ByteView, ByteView) = (pair.dropFirst(end + 1), "")
      // Numbers have no zero byte; groups may.
      if !group.measured.isEmpty, let zero = rest.lastIndex(of: 0) {
        (rest, value) = (rest[0..<zero], rest.dropFirst(zero + 1))
      }
      return (rest, withNames ? pair[0..<end] : "", value, UInt32(number))
    }
    .sorted { a, b in
      if a.group != b.group { return a.group < b.group }
      return a.name == b.name ? a.value < b.value : a.name < b.name
    }
  }

  package func appendJSON(_ rows: [Row], _ figures: [CountFigure], to out: inout ByteBuffer) {
    for row in rows {
      JSONWriter.line(to: &out) { json in
        if grouping != .all { json.member(grouping.column, row.group) }
        if !row.name.isEmpty { json.member("name", row.name) }
        json.member("count", row.count)
        for figure in figures {
          let text = ByteBuffer(text: figure.text(of: row.numbers) ?? "null")
          json.member(figure.rawValue, JSONText(text.view))
        }
      }
    }
  }
}

/// A figure of the numbers of an attribute.
package enum CountFigure: String, CaseIterable, Sendable {
  case sum, min, max

  /// Nil without numbers.
  package func text(of numbers: DecimalSum) -> String? {
    guard numbers.count > 0 else { return nil }
    switch self {
    case .sum: return numbers.text
    case .min: return numbers.minimum
    case .max: return numbers.maximum
    }
  }
}
