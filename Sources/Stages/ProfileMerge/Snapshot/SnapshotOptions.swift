import Pipeline

/// What a snapshot is made of, beside the states.
package struct SnapshotOptions: Sendable {
  /// How many parts profiles and state are published in.
  package var partitions = 1
  package var stitch = Stitch.first
  /// Whether published profiles hold the attributes of the latest events.
  package var withValues = true
  /// For how many days event ids travel with the state; 0 = not at all.
  package var dedupeDays = 0
  /// Whether events and people are counted by day.
  package var withDays = true

  package init() {}

  /// The time before which ids are forgotten (data-model 12), in milliseconds since 1970, when the
  /// latest event of all is of the time `newest`. Those of events without time never are, as long
  /// as any are kept: nothing tells how old they are.
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
  /// Nothing folds.
  case none
}
