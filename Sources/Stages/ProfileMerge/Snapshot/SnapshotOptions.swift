import Pipeline

package struct SnapshotOptions: Sendable {
  package var partitions = 1
  package var stitch = Stitch.first
  /// Whether published profiles contain the attributes of the latest events.
  package var withValues = true
  /// Number of days for which event ids are kept in the state; 0 = not at all.
  package var dedupeDays = 0
  package var withDays = true
  /// The ids with the most data of an earlier run. The tally gets those from which nothing was
  /// erased.
  package var watched = HotIDs()

  package init() {}

  /// The time before which ids expire (data-model 12), in milliseconds since 1970, when `newest`
  /// is the newest time (``ReadDays``). Those of events without a time never expire while ids are
  /// kept, because their age is unknown.
  package func oldestID(newest: Int?) -> Int {
    guard dedupeDays > 0 else { return .max }
    guard let newest else { return EventTime.absent }
    let (window, overflow) = dedupeDays.multipliedReportingOverflow(by: DayNumber.milliseconds)
    return overflow ? .min : newest - window
  }
}

/// Which installations are published with the person they belong to (data-model 13.8).
package enum Stitch: String, CaseIterable, Sendable {
  /// An installation folds into the custom id of its earliest link.
  case first
  case none
}
