import Jobs
import Pipeline

/// The file of `--metrics`: replaced as a whole at the end of every run, so that a collector reads
/// either the old or the new one.
struct MetricsFile {
  let path: String

  /// Bytes of the earlier file that are read; far more than it has.
  private static let longest = BlockReader.defaultBlockSize

  /// Checks, before a run with these options begins, whether the file may be written.
  ///
  /// - Throws: `usage`, when it is inside an input or an output, or is not a file of metrics; `io`.
  func check(_ options: RunOptions) throws(Failure) {
    // An unwritable path, like a directory, costs a warning at the end, but no night.
    if try System.real.statusIfAny(of: path, doing: "inspecting")?.kind == .regular {
      try WholeFile.check(path, isOurs: PrometheusText.isOurs)
    }
    let doing = "finding the target of the metrics in"
    let file = try OutputPath(path)
    try Ownership.generated.checkOutside(path, .real)
    let above = System.real.directories(above: file, doing: doing)
    for input in options.read.inputs where input != InputFile.standardInput {
      let status = try System.real.statusIfAny(of: input, doing: doing)
      if above.contains(where: { $0.identity == status?.identity }) {
        throw refusal("it is inside \(input), which is an input")
      }
    }
    let output = try OutputPath(options.publish.output)
    // By path, as neither may exist yet: a file inside the output would become part of it.
    let parent = try InputDiscovery.resolve(output.parent, .real)
    let outer = parent == "/" ? parent : parent + "/"
    let inner = try InputDiscovery.resolve(path, .real)
    let name = inner.utf8.dropFirst(outer.utf8.count).prefix { $0 != UInt8(ascii: "/") }
    if inner.utf8.starts(with: outer.utf8), output.needs(String(decoding: name, as: UTF8.self)) {
      throw refusal("it is the path of the output")
    }
  }

  private func refusal(_ why: String) -> Failure {
    Failure(
      .usage, doing: "writing the metrics to", path: path, why: why,
      advice: "name a file outside of inputs and outputs")
  }

  /// Writes the metrics of a run that ends now.
  ///
  /// - Throws: `io`, `usage`, when the file cannot be written.
  func write(_ summary: RunReport?, _ code: ExitCode) throws(Failure) {
    let now = System.secondsSince1970
    let metrics = RunMetrics(
      summary: summary, code: code, time: now,
      lastSuccess: code == .done ? now : earlierSuccess)
    try metrics.text().write(to: path)
  }

  /// When a run last succeeded, according to the earlier file; nil when it does not contain it.
  private var earlierSuccess: Int? {
    do throws(Failure) {
      // Reading anything but a file might block endlessly.
      let status = try System.real.status(of: path, doing: "reading")
      guard status.kind == .regular else { return nil }
      let reader = try BlockReader(
        InputFile(path: path, size: status.size), index: 0, maxLine: MetricsFile.longest)
      defer { reader.close() }
      let block = Block(capacity: MetricsFile.longest)
      guard try reader.fill(block) else { return nil }
      return PrometheusText.value(of: "\(RunMetrics.lastSuccessName)", in: block.bytes)
        .flatMap { Int(exactly: $0.rounded()) }
    } catch {
      // An unreadable file is replaced; only the time of the last success is lost.
      return nil
    }
  }
}
