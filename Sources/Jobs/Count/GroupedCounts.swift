package import Pipeline
package import Stages

/// Events per group and event name (`count --by`), sorted by the bytes of both.
package struct GroupedCounts: Sendable {
  package struct Row: Equatable, Sendable {
    /// A day, a time, a dialect, a path or a value; ``EventGrouping/none`` for events without one.
    package let group: String
    package let name: String
    package let count: Int

    package init(group: String, name: String, count: Int) {
      (self.group, self.name, self.count) = (group, name, count)
    }
  }

  package let grouping: EventGrouping
  /// Groups with accepted events; groups of duplicates only are omitted.
  package let rows: [Row]
  /// Duplicate events, in all groups.
  package let duplicates: Int

  /// The groups that `pairs` number. Complexity: O(n log n) for n of them.
  init(_ totals: EventTotals, pairs: NameList, by grouping: EventGrouping) {
    self.grouping = grouping
    duplicates = totals.duplicates
    let keys = (0..<pairs.count).map { number in
      let pair = pairs[UInt32(number)]
      let end = pair.firstIndex(of: 0) ?? pair.count
      return (group: pair.dropFirst(end + 1), name: pair[0..<end], number: UInt32(number))
    }
    rows = keys.filter { totals[$0.number].count > 0 }
      .sorted { $0.group == $1.group ? $0.name < $1.name : $0.group < $1.group }
      .map {
        Row(group: $0.group.text, name: $0.name.text, count: totals[$0.number].count)
      }
  }

  /// Appends one JSON line for each of `rows`.
  package func appendJSON(_ rows: [Row], to out: inout ByteBuffer) {
    for row in rows {
      JSONWriter.line(to: &out) { json in
        json.member(grouping.column, row.group)
        json.member("name", row.name)
        json.member("count", row.count)
      }
    }
  }
}
