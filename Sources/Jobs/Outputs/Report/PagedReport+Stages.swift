import Pipeline
import Stages

/// The times of the stages.
extension PagedReport {
  /// The times of the stages, in the order of the flow.
  var stagesSection: PageSection? {
    let work = stages.work
    return PageSection(
      "Stages",
      note: "Seconds of work, summed over all threads; the \(Self.words.job) took "
        + "\(NumberFormat.tenths(stamp.seconds)) s.", isFolded: true,
      .table(
        "Stages", of: stages, always: true, .text("Stage", \.name),
        .number("Seconds") { NumberFormat.thousandths($0.seconds) }, .bar { $0.seconds / work },
        .percent("Share") { $0.seconds / work },
        .number("Waited, s") {
          $0.stalled > 0 ? NumberFormat.thousandths(Double($0.stalled) / 1e9) : "–"
        },
        .number("MB/s") {
          let rate = Double($0.bytes) / 1e6 / max($0.seconds, 1e-9)
          return $0.bytes > 0 ? NumberFormat.grouped(Int(min(rate, 1e9))) : "–"
        }))
  }
}
