import Pipeline
import Stages

/// The file of `--metrics`: replaced as a whole at the end of every run, so that whoever collects it
/// reads the old one or the new one.
struct MetricsFile {
  let path: String

  /// Bytes of the earlier file that are looked at; far more than it has.
  private static let longest = BlockReader.defaultBlockSize

  /// Writes what there is to tell of a run that ends now.
  ///
  /// - Throws: `io`, `usage`, when the file cannot be written.
  func write(_ summary: RunSummary?, _ code: ExitCode) throws(Failure) {
    let now = System.secondsSince1970
    let metrics = RunMetrics(
      summary: summary, code: code, time: now,
      lastSuccess: code == .done ? now : earlierSuccess)
    let text = metrics.text()
    let lines = text.lines
    try WholeFile.write(text.finish(), to: path, lines: lines)
  }

  /// When a run last succeeded, as the earlier file says; nil when there is none, or it does not.
  private var earlierSuccess: Int? {
    do throws(Failure) {
      // Anything but a file might have nothing to read for ever.
      guard try System.real.status(of: path, doing: "reading").kind == .regular else { return nil }
      let reader = try BlockReader(
        InputFile(path: path, size: nil), index: 0, maxLine: MetricsFile.longest)
      defer { reader.close() }
      let block = Block(capacity: MetricsFile.longest)
      guard try reader.fill(block) else { return nil }
      return PrometheusText.value(of: RunMetrics.lastSuccessName, in: block.bytes)
        .flatMap { Int(exactly: $0.rounded()) }
    } catch {
      // What cannot be read is written anew; what is missing in it then is when a run succeeded.
      return nil
    }
  }
}
