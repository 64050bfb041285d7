import Stages

/// What the options of a run mean for the merge, which knows of no run.
extension RunOptions {
  /// What the snapshot is made of.
  var snapshot: SnapshotOptions {
    var snapshot = SnapshotOptions()
    snapshot.partitions = partitions
    snapshot.stitch = stitch
    snapshot.withValues = withValues
    snapshot.dedupeDays = dedupeDays
    return snapshot
  }
}
