import Jobs
import Pipeline

/// The metrics beyond those of a single run: up to when nights are published.
struct NightMetrics {
  /// The file, beside that of the runs.
  let path: String
  /// The newest night that should be published.
  private let last: Day

  /// Metrics of `night` whose runs use the file `metrics`: for `a.prom` the file is `a_night.prom`.
  init(besides metrics: String, last: Day) {
    let name = metrics.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    path = "\(metrics.dropLast(ending.count))_night\(ending)"
    self.last = last
  }

  /// Writes the file at the end of a command that ends with `code`. `verdict` is the worst of the
  /// nights that were made, or that of the newest one; `late` is nil when it has not looked for
  /// late files, and `damaged` nights were moved aside.
  ///
  /// - Throws: `io`, `usage`, when it cannot be written.
  func write(
    published: [Day], _ verdict: Verdict.Level?, _ late: LateFiles?, damaged: Int,
    _ code: ExitCode
  ) throws(Failure) {
    var text = PrometheusText()
    text.gauge(
      "eventmill_night_last_run_timestamp_seconds", "When eventmill night last ended.",
      System.secondsSince1970)
    text.gauge(
      "eventmill_night_last_exit_code", "Exit code of eventmill night.", Int(code.rawValue))
    if let newest = published.filter({ $0 <= last }).max() {
      text.gauge(
        "eventmill_night_published_timestamp_seconds", "When the newest published night began.",
        newest.start / 1000)
      text.gauge(
        "eventmill_night_missing", "Nights that are over and not published.",
        last.number - newest.number)
    }
    if let verdict {
      text.gauge(
        "eventmill_night_verdict",
        "How the worst of the new nights looks: 0 good, 1 to be checked, 2 bad.",
        verdict.number)
    }
    text.gauge(
      "eventmill_night_damaged", "Nights that were damaged, moved aside, and are made again.",
      damaged)
    if let late {
      text.gauge(
        "eventmill_night_late_files", "Files read late, or waiting to be.", late.unread.count)
      text.gauge(
        "eventmill_night_changed_files",
        "Files left out because they differ from what a night has read.", late.changed.count)
      text.gauge(
        "eventmill_night_gone_files", "Files that a night has read and that are gone.",
        late.gone.count)
    }
    try text.write(to: path)
  }
}
