import Stages

/// Data of the job that travels with a unit beside its records.
final class UnitNotes: UnitAttachment {
  /// The origins of the lines of a redriven block.
  let redriven = RedrivenLines()
  /// What was read of the input that ends here, with an empty block (``InputSource``).
  var ended: InputOutcome?

  func recycle() { redriven.recycle() }
}

extension WorkUnit {
  /// The job's data of the unit; created on first use.
  var notes: UnitNotes {
    if let notes = attachment as? UnitNotes { return notes }
    precondition(attachment == nil, "a unit carries the notes of another kind of job")
    let notes = UnitNotes()
    attachment = notes
    return notes
  }
}
