import Pipeline

/// The findings of a tracking plan in `facts.json`.
extension TrackingCheck {
  /// The sum of findings about one plan, of inputs that are all different.
  init?(merging checks: [TrackingCheck]) {
    guard let plan = checks.first?.plan else { return nil }
    var rows: [TrackingFindings.Key: Row] = [:]
    var totals: [TrackingFindings.Kind: Int] = [:]
    for check in checks {
      for row in check.rows {
        rows[row.key] = rows[row.key].map { $0.merged(with: row) } ?? row
      }
      for (kind, count) in check.totals { totals[kind, default: 0] += count }
    }
    let sorted = rows.sorted { $0.key < $1.key }.prefix(TrackingFindings.most)
    self.init(plan: plan, rows: sorted.map(\.value), totals)
  }

  /// Writes the fields `tracking_plan` and `tracking` of the object that is open.
  func writeFacts(to json: inout JSONWriter) {
    json.member("tracking_plan", XXH64.text(plan))
    write(atMost: TrackingFindings.most, to: &json)
  }

  /// Reads what ``writeFacts(to:)`` wrote into `root`; nil if there is nothing.
  init?(facts root: JSONValue, _ counts: inout CountReader) throws(FactsDamage) {
    guard let value = root["tracking"] else { return nil }
    guard let plan = root["tracking_plan"]?.xxh64 else {
      throw FactsDamage("the hash of the tracking plan is missing")
    }
    var totals: [TrackingFindings.Kind: Int] = [:]
    for (name, count) in value["totals"]?.members ?? [] {
      guard let kind = TrackingFindings.Kind(rawValue: name) else {
        throw FactsDamage("a kind of finding is unknown")
      }
      totals[kind] = try counts.read(count, "a total of findings")
    }
    var rows: [Row] = []
    for item in value["findings"]?.items ?? [] { rows.append(try Row(item, &counts)) }
    let sums = Dictionary(rows.map { ($0.kind, $0.count) }) { $0 + $1 }
    guard rows.count <= TrackingFindings.most,
      zip(rows, rows.dropFirst()).allSatisfy({ $0.key < $1.key }),
      sums.allSatisfy({ $0.value <= totals[$0.key] ?? 0 })
    else { throw FactsDamage("findings are not in order, or are more than their totals") }
    self.init(plan: plan, rows: rows, totals)
  }
}

extension TrackingCheck.Row {
  fileprivate var key: TrackingFindings.Key {
    TrackingFindings.Key(event: event, attribute: attribute ?? "", kind: kind)
  }

  fileprivate init(_ item: JSONValue, _ counts: inout CountReader) throws(FactsDamage) {
    guard let kind = item["kind"]?.text.flatMap(TrackingFindings.Kind.init(rawValue:)),
      let event = item["event"]?.text, let file = item["file"]?.text, let line = item["line"]?.int
    else { throw FactsDamage("a finding has no kind, event or position") }
    self.init(
      kind: kind, event: event, attribute: item["attribute"]?.text,
      count: try counts.read(item["count"], "a count of findings"), file: file, line: line,
      expected: item["expected"]?.text, found: item["type"]?.text)
  }

  /// The sum of two findings, at the first position of both.
  fileprivate func merged(with other: Self) -> Self {
    let isFirst =
      file == other.file
      ? line <= other.line : file.utf8.lexicographicallyPrecedes(other.file.utf8)
    let first = isFirst ? self : other
    return Self(
      kind: kind, event: event, attribute: attribute, count: count + other.count, file: first.file,
      line: first.line, expected: expected, found: first.found)
  }
}
