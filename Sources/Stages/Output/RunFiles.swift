/// The files of a published run, by their paths in it (SPEC 9).
package enum RunFiles {
  package static let countsJSON = "event_counts.ndjson"
  package static let countsCSV = "event_counts.csv"
  package static let profiles = "profiles"
  package static let state = "state"
  /// What the state knows beside its keys.
  package static let totals = "state/totals.ndjson.zst"
  /// What is of use during the run only.
  package static let work = "work"
  package static let rejects = "rejects.ndjson.zst"
  package static let report = "report.json"
  package static let manifest = "manifest.json"

  /// Part number `part` of `count` in `folder`.
  package static func part(_ part: Int, of count: Int, in folder: String) -> String {
    "\(folder)/part-\(digits(part))-of-\(digits(count)).ndjson.zst"
  }

  private static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 5 - text.count)) + text
  }
}
