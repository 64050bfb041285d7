package import Pipeline

/// The benchmark (`eventmill bench`): stages one at a time, then whole jobs.
package struct Benchmark {
  private let options: BenchOptions
  private let scratch: String
  private let control: BenchControl

  /// A benchmark that may write to the directory `scratch`, which somebody else removes.
  package init(_ options: BenchOptions, scratch: String, control: BenchControl) {
    self.options = options
    self.scratch = scratch
    self.control = control
  }

  /// Measures everything that was asked for.
  ///
  /// - Throws: `usage` for inputs that cannot be read more than once; `io`, `corrupt`; what the
  ///   control was cancelled with.
  package func run() throws(Failure) -> BenchResult {
    let survey = try InputDiscovery.surveyLogs(options.inputs)
    let inputs = survey.inputs
    if let input = inputs.first(where: { !$0.isReopenable }) {
      throw Failure(
        .usage, doing: "measuring", path: input.name,
        why: "it can be read only once, and a benchmark reads its input many times",
        advice: "write it to a file first")
    }
    var entries: [BenchResult.Entry] = []
    if options.subjects.contains(where: { $0.kind != .job }) {
      entries += try StageBench(
        options: options, inputs: inputs, scratch: scratch, control: control
      ).run()
    }
    entries += try JobBench(
      options: options, inputs: inputs, scratch: scratch, control: control
    ).run()
    var result = BenchResult(entries)
    result.passedOver = survey.passedOver
    return result
  }
}
