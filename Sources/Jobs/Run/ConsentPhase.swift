import Pipeline
import Stages

/// The first pass of `--honor-opt-out`: reads the consent statements of inputs and state.
struct ConsentPhase {
  let options: ReadOptions
  let inputs: [InputFile]
  let control: JobControl

  /// - Throws: `usage`, for an input that cannot be read twice; else as a run does.
  func run(_ previous: Output?) throws(Failure) -> ConsentHistory {
    var history = try readInputs(nonLogs: nil, hashes: false).consents
    if let previous {
      try previous.forEachConsent { word, key in
        // An installation that never opts out needs no entry.
        if word.isOptedOut || history.knows(key) { history.add(word, of: key) }
      }
    }
    history.settle()
    try history.checkCount()
    return history
  }

  /// Reads the inputs. Returns their statements, unordered, and what was read of each input.
  func readInputs(
    nonLogs: NonLogPolicy?, hashes: Bool
  ) throws(Failure) -> (consents: ConsentHistory, outcomes: [InputOutcome]) {
    let history = Locked(ConsentHistory())
    let outcomes = try readInputs(nonLogs: nonLogs, hashes: hashes) { found, _ throws(Failure) in
      try history.withLock { history throws(Failure) in
        for one in found { history.add(one.word, of: one.key) }
        try history.checkCount()
      }
    }
    return (history.withLock { $0 }, outcomes)
  }

  /// Calls `take` with the statements of each block, and with the installations in records of the
  /// `person`, on any thread.
  func readInputs(
    of person: Fingerprint? = nil, nonLogs: NonLogPolicy?, hashes: Bool,
    _ take: @escaping @Sendable ([LoggedConsent], Set<String>) throws(Failure) -> Void
  ) throws(Failure) -> [InputOutcome] {
    if let input = inputs.first(where: { !$0.isReopenable }) {
      throw Failure(
        .usage, doing: "looking for opt-outs", path: input.path,
        why: "--honor-opt-out reads inputs twice, but this one can be read only once",
        advice: "write it to a file first")
    }
    let rules = options.rules
    return try RecordFlow(
      stages: { Chains.consents(rules, ConsentCollector(of: person, take)) },
      cores: try CoreQueues(options.jobs)
    ).run(inputs, options, nonLogs: nonLogs, hashes: hashes, control, finish: { _ in }).outcomes
  }
}

extension Output {
  /// Calls `body` with the latest consent statement of every installation in the state.
  func forEachConsent(
    of partitions: Range<Int>? = nil, _ body: (ConsentStatement, Fingerprint) -> Void
  ) throws(Failure) {
    let cursor = try RunCursor(names: RunNames())
    for partition in partitions ?? 0..<self.partitions {
      let part = try part(partition)
      for stretch in part.stretches(.install) {
        try cursor.begin(stretch: stretch, of: part)
        while let key = try cursor.next() {
          guard let consent = key.consent else { continue }
          body(consent, Erasures.digest(of: key.key))
        }
      }
    }
  }
}
