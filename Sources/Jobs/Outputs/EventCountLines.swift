package import Pipeline
package import Stages

/// Writes `event_counts.ndjson` and `event_counts.csv` (docs/reference/file-formats.md), sorted by
/// the bytes of the names.
package struct EventCountLines: Sendable {
  private let totals: EventTotals
  private let names: NameList
  /// By number of the name: published profiles that have it; nil where no profiles were made.
  private let profiles: SnapshotTally?
  /// The names to write; nil for all.
  private var shown: Set<UInt32>?

  /// Lines for `totals`. Without a tally (`count`) the lines have no `profiles`.
  package init(_ totals: EventTotals, names: NameList, profiles: SnapshotTally?) {
    self.totals = totals
    self.names = names
    self.profiles = profiles
  }

  /// Duplicate events, of all names.
  package var duplicates: Int { totals.duplicates }

  /// Numbers of the event names with events, in line order.
  package var order: [UInt32] {
    names.sorted.filter { totals.contains($0) && shown?.contains($0) ?? true }
  }

  /// The lines of the `most` names with the greatest counts; of equal ones the first.
  package func mostFrequent(_ most: Int) -> EventCountLines {
    var lines = self
    lines.shown = Set(order.mostFrequent(most) { totals[$0].count })
    return lines
  }

  /// The totals with their names and source names, in line order; for tables.
  package var rows: [(name: String, total: EventTotals.Total, sourceNames: SourceNames)] {
    order.map { (names[$0].text, totals[$0], totals.sourceNames(of: $0)) }
  }

  /// Appends one JSON line per event name.
  package func appendJSON(to out: inout ByteBuffer) {
    for name in order {
      let total = totals[name]
      JSONWriter.line(to: &out) { json in
        json.member("name", names[name])
        json.member("count", total.count)
        if !total.seen.isNever {
          json.member("first_seen", Timestamp.text(total.seen.first))
          json.member("last_seen", Timestamp.text(total.seen.last))
        }
        if let profiles { json.member("profiles", profiles.profiles(with: name)) }
        json.member("duplicates", total.duplicates)
        totals.writeDialects(name, to: &json)
        totals.sourceNames(of: name).writeField(to: &json)
      }
    }
  }

  /// Appends the table for a spreadsheet: a header line, then one line per event name. Nothing
  /// needs quotes, because names are letters, digits and underscores. Unknown times are empty.
  package func appendCSV(to out: inout ByteBuffer) {
    out.append("name,count,first_seen,last_seen,profiles,duplicates\n")
    for name in order {
      let total = totals[name]
      out.append(names[name])
      out.append(UInt8(ascii: ","))
      out.append(decimal: total.count)
      out.append(UInt8(ascii: ","))
      if !total.seen.isNever { Timestamp.append(milliseconds: total.seen.first, to: &out) }
      out.append(UInt8(ascii: ","))
      if !total.seen.isNever { Timestamp.append(milliseconds: total.seen.last, to: &out) }
      out.append(UInt8(ascii: ","))
      out.append(decimal: profiles?.profiles(with: name) ?? 0)
      out.append(UInt8(ascii: ","))
      out.append(decimal: total.duplicates)
      out.append(UInt8(ascii: "\n"))
    }
  }
}
