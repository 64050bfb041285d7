package import Pipeline

/// What a run did, for people and dashboards (`report.json`, SPEC 9): ledger, losses, rejects by
/// reason, times. The one output that is not the same every time.
struct RunReport {
  let tool: ToolVersion
  let options: RunOptions
  let merge: IngestOutcome
  /// Nil when nothing was published.
  let snapshot: PublishedSnapshot?
  let clock: StopWatch

  /// Checks the promise that every line is accounted for exactly once.
  ///
  /// - Throws: `defect` when the ledger of an input or of the run does not add up.
  func checkLedger() throws(Failure) {
    for (outcome, ledger) in zip(merge.outcomes, merge.ledgers) {
      if let why = ledger.mismatch { throw mismatch(why, path: outcome.file.path) }
    }
    let accepted = merge.total.accepted
    if let snapshot, snapshot.accepted != accepted {
      throw mismatch(
        "\(accepted) events were accepted, but the counts per event name hold "
          + "\(snapshot.accepted) of this run", path: nil)
    }
  }

  private func mismatch(_ why: String, path: String?) -> Failure {
    Failure(
      .defect, doing: "checking the ledger", path: path, why: why,
      advice: "nothing was published; this is a mistake in eventmill, please report it")
  }

  /// Writes the file.
  ///
  /// - Throws: `io` when it cannot be written.
  func write(to staging: StagedDirectory) throws(Failure) {
    var json = JSONWriter(.pretty)
    json.object { json in
      json.object("tool") { json in
        json.member("version", tool.version)
        json.member("commit", tool.commit)
        json.member("zstd", tool.zstd)
      }
      json.object("options") { json in
        options.write(to: &json)
        json.member("jobs", options.jobs)
      }
      merge.total.write("ledger", to: &json)
      writeInputs(to: &json)
      writeRejects(to: &json)
      writeCodes(merge.tally.losses, "losses", to: &json)
      json.object("unknown_fields") { json in
        for (name, count) in merge.tally.unknownFields { json.member(named: name, count) }
      }
      if let snapshot {
        json.member("profiles", snapshot.profiles)
        json.member("event_names", snapshot.eventNames)
        json.member("array_overflow", snapshot.arrayOverflow)
      }
      writeTimes(to: &json)
    }
    json.endLine()
    _ = try staging.folder.write(json.bytes, to: RunFiles.report, lines: 1)
  }

  private func writeInputs(to json: inout JSONWriter) {
    json.array("inputs") { json in
      for (outcome, ledger) in zip(merge.outcomes, merge.ledgers) {
        json.object { json in
          json.member("path", outcome.file.path)
          if let summary = outcome.summary {
            json.member("compression", summary.compression.rawValue)
            json.member("bytes", summary.compressedBytes)
            json.member("decompressed_bytes", summary.decompressedBytes)
          }
          ledger.write("ledger", to: &json)
          if let lost = outcome.lost { write(lost, of: outcome, to: &json) }
        }
      }
    }
  }

  /// The range of the decompressed file that could not be read; its end is not known.
  private func write(_ lost: Failure, of outcome: InputOutcome, to json: inout JSONWriter) {
    json.object("lost") { json in
      json.member("from_offset", lost.offset ?? 0)
      if let frame = lost.frame { json.member("frame", frame) }
      json.member("kind", lost.kind.rawValue)
      json.member("why", lost.why)
    }
  }

  private func writeRejects(to json: inout JSONWriter) {
    json.object("rejects") { json in
      json.member("lines", merge.linesWithRejects)
      json.member("entries", merge.rejects.lines)
      json.object("reasons") { json in
        for reason in merge.tally.reasons {
          json.member(named: reason.code.text, reason.count)
        }
      }
      json.object("first") { json in
        for reason in merge.tally.reasons {
          json.object(named: reason.code.text) { json in write(reason.samples[0], to: &json) }
        }
      }
    }
  }

  private func writeCodes(
    _ codes: [TallyFacts.CodeCount], _ key: StaticString, to json: inout JSONWriter
  ) {
    json.object(key) { json in
      for code in codes {
        json.object(named: code.code.text) { json in
          json.member("count", code.count)
          json.array("samples") { json in
            for sample in code.samples {
              json.object { json in write(sample, to: &json) }
            }
          }
        }
      }
    }
  }

  private func write(_ sample: RunTally.Sample, to json: inout JSONWriter) {
    json.member("source", merge.outcomes[sample.input].file.path)
    json.member("line", sample.line)
    json.member("path", sample.path)
  }

  private func writeTimes(to json: inout JSONWriter) {
    let seconds = clock.seconds
    let bytes = merge.outcomes.reduce(0) { $0 + ($1.summary?.decompressedBytes ?? 0) }
    json.object("time") { json in
      json.member("seconds", seconds)
      json.member("records_per_second", Double(merge.total.records) / max(seconds, 1e-9))
      json.member("megabytes_per_second", Double(bytes) / 1e6 / max(seconds, 1e-9))
      json.member("reader_stalled_seconds", Double(merge.times.readerWithoutUnit) / 1e9)
      json.member("idle_seconds", Double(merge.times.idle) / 1e9)
    }
    let work = work
    json.member("slowest_stage", slowest?.name ?? "")
    json.array("stages") { json in
      for stage in stages {
        json.object { json in
          let seconds = max(stage.seconds, 1e-9)
          json.member("stage", stage.name)
          json.member("seconds", stage.seconds)
          json.member("stalled_seconds", Double(stage.stalled) / 1e9)
          json.member("units", stage.units)
          json.member("bytes", stage.bytes)
          json.member("records", stage.items)
          json.member("records_per_second", Double(stage.items) / seconds)
          json.member("megabytes_per_second", Double(stage.bytes) / 1e6 / seconds)
          json.member("share", stage.seconds / work)
        }
      }
    }
  }

  /// Everything the run did in parallel, in the order of the flow.
  private var stages: [StageTime] { merge.times.stages + (snapshot.map { [$0.time] } ?? []) }

  /// Seconds of work of all stages; never zero.
  private var work: Double { max(stages.reduce(0) { $0 + $1.seconds }, 1e-9) }

  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  fileprivate var slowest: (name: String, share: Double)? {
    stages.max { $0.nanoseconds < $1.nanoseconds }.map { ($0.name, $0.seconds / work) }
  }
}

/// What the command line says at the end of a run.
package struct RunSummary: Sendable {
  package let ledger: Ledger
  /// Profiles published.
  package let profiles: Int
  /// Event names counted.
  package let eventNames: Int
  /// Lines of which something was rejected.
  package let linesWithRejects: Int
  /// Losses of all codes.
  package let losses: Int
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Wall-clock seconds.
  package let seconds: Double
  /// Decompressed bytes read.
  package let bytes: Int
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package let slowestStage: (name: String, share: Double)?
  /// What went wrong after the output was published: an earlier output that could not be removed.
  package let warning: Failure?
}

extension RunReport {
  func summary(warning: Failure?) -> RunSummary {
    RunSummary(
      ledger: merge.total, profiles: snapshot?.profiles ?? 0,
      eventNames: snapshot?.eventNames ?? 0, linesWithRejects: merge.linesWithRejects,
      losses: merge.tally.losses.reduce(0) { $0 + $1.count },
      lost: merge.outcomes.compactMap(\.lost), seconds: clock.seconds,
      bytes: merge.outcomes.reduce(0) { $0 + ($1.summary?.decompressedBytes ?? 0) },
      slowestStage: slowest, warning: warning)
  }
}
