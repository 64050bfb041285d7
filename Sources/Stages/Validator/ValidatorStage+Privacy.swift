import Pipeline

/// Place, consent and erasing (dialects 2, data-model 13.6). The reader lets pass only what has
/// their form.
extension ValidatorStage {
  /// Validates the place of a `location`.
  func validateLocation(_ operation: OperationEntry, in batch: RecordBatch) {
    if !GeoPoint(operation.value.index, of: batch.tape).isValid(in: batch.tape) {
      batch.reasons.add(.locationInvalid, at: "location")
    }
  }

  /// Validates `opted_out` or `erase`: both are about an installation.
  func validateConsent(
    _ operation: OperationEntry, of record: RecordEntry, in batch: RecordBatch
  ) {
    if !record.installationID.exists {
      batch.reasons.add(
        .needsInstallationID, at: operation.kind == .erase ? "erase" : "opted_out")
    }
  }
}
