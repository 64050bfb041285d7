import Stages

/// What jobs let travel with a unit beside its records.
final class UnitNotes: UnitAttachment {
  /// What the other policy for v1 events would make of the block, where that is asked.
  var policies = PolicyComparison()
  /// Where the lines of a block come from that is driven again.
  let redriven = RedrivenLines()
  /// What was read of an input that ends here, with an empty block (``InputSource``).
  var ended: InputOutcome?

  func recycle() { redriven.recycle() }
}

extension WorkUnit {
  /// What the job lets travel with the unit; made when it is first asked for.
  var notes: UnitNotes {
    if let notes = attachment as? UnitNotes { return notes }
    precondition(attachment == nil, "a unit carries the notes of another kind of job")
    let notes = UnitNotes()
    attachment = notes
    return notes
  }
}
