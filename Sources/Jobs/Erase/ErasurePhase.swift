import Pipeline
import Stages

/// Whose data is suppressed (data-model 13.6), by the requests of this run and by earlier outputs.
struct ErasurePhase {
  let options: MergeOptions
  let control: JobControl

  /// The requests of this run; nil without a file of requests.
  /// - Throws: `usage`, for an invalid file; `io`.
  func requests() throws(Failure) -> ErasureRequests? {
    guard let path = options.erasureRequests else { return nil }
    return try ErasureRequests(reading: path, system: control.system)
  }

  /// All marks that ingestion needs; of the earlier output only the totals are read.
  /// - Throws: as ``requests()``; `usage`, `corrupt`, `io`, for the earlier output.
  func marks(maxNames: Int) throws(Failure) -> Erasures {
    var marks = try requests()?.erasures ?? Erasures()
    guard let previous = options.previous else { return marks }
    let names = RunNames(limit: maxNames)
    let totals = try PreviousRun(previous, system: control.system).readTotals(names)
    if let failure = names.failure { throw failure.at(previous) }
    marks.merge(totals.erasures)
    return marks
  }
}

extension PartialDirectory {
  /// Checks that the partial was made for `erasures`, if it was made for any. One without erasures
  /// is accepted: erased people are removed from profiles and state, but counted.
  /// - Throws: `usage`, when it was made for others.
  func check(_ erasures: Erasures) throws(Failure) {
    guard let made = manifest.option(RunOptions.erasuresOption)?.text,
      made != XXH64.text(erasures.hash)
    else { return }
    throw PartialSet.refusal(
      path, "it was made with other erasures than this merge",
      "use the same --erase and --previous for partials and merge")
  }
}

extension ManifestFile {
  /// Checks that partitions were merged with the same requests that an output is finished with;
  /// `erasures` are those, and the marks of the earlier state.
  /// - Throws: `usage`, when they were not.
  func check(_ requests: ErasureRequests?, _ erasures: Erasures, path: String) throws(Failure) {
    let made = option(RunOptions.eraseOption)?.text
    let isSame = made == (erasures.hasNew ? XXH64.text(erasures.hash) : nil)
    guard !isSame else { return }
    throw PartialSet.refusal(
      path,
      requests == nil
        ? "it was merged with --erase, but --finish has none"
        : "it was merged with another --erase, or with none",
      "use the same --erase for every partition and for --finish")
  }
}
