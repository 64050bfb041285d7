import Pipeline
import Stages

/// Whose data is suppressed (data-model 13.6), by the requests of this run and by earlier outputs.
struct ErasurePhase {
  let options: RunOptions
  let control: JobControl

  /// The requests of this run; nil without a file of requests.
  func requests() throws(Failure) -> ErasureRequests? {
    guard let path = options.merge.erasureRequests else { return nil }
    let requests = try ErasureRequests(
      reading: path, placeholders: options.read.rules.placeholders, system: control.system)
    if options.merge.moment == nil, let request = requests.requests.first(where: \.needsMoment) {
      throw Failure(
        .usage, doing: "reading the requests in", path: path, line: request.line,
        why: "it has no time, and counts for the moment at which it is carried out, which this "
          + "command does not know",
        advice: "give --erased-at TIME, the same to each step")
    }
    return requests
  }

  /// All marks that ingestion needs; of the earlier output only the totals are read.
  func marks() throws(Failure) -> Erasures {
    var marks = try requests()?.erasures ?? Erasures()
    guard let previous = options.merge.previous else { return marks }
    let names = RunNames(limit: options.read.maxNames)
    let totals = try Output(previous, system: control.system).totals(names)
    if let failure = names.failure { throw failure.at(previous) }
    marks.merge(totals.erasures)
    return marks
  }
}

extension PartialDirectory {
  /// Checks that the partial was made for `erasures`, if it was made for any. One without erasures
  /// is accepted: erased people are removed from profiles and state, but counted.
  func check(_ erasures: Erasures) throws(Failure) {
    guard let made = manifest.options[RunOptions.erasuresOption]?.text,
      made != XXH64.text(erasures.hash)
    else { return }
    throw PartialSet.refusal(
      path, "it was made with other erasures than this merge",
      "use the same --requests and --previous for partials and merge")
  }
}

extension Manifest {
  /// Checks that partitions were merged with the same requests, and the same moment, that an output
  /// is finished with; `erasures` are those, and the marks of the earlier state.
  func check(
    _ requests: ErasureRequests?, _ erasures: Erasures, at moment: Int?, path: String
  ) throws(Failure) {
    let made = options[RunOptions.eraseOption]?.text
    let isSame = made == (erasures.hasNew ? XXH64.text(erasures.hash) : nil)
    if isSame, erasures.needsMoment, let moment,
      options[RunOptions.erasedAtOption]?.text != Timestamp.text(moment)
    {
      throw PartialSet.refusal(
        path, "it was merged with another --erased-at",
        "use the same --erased-at for every partition and for --step finish")
    }
    guard !isSame else { return }
    throw PartialSet.refusal(
      path,
      requests == nil
        ? "it was merged with --requests, but --step finish has none"
        : "it was merged with another --requests, or with none",
      "use the same --requests for every partition and for --step finish")
  }
}
