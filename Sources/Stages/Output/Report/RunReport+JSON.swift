import Pipeline

/// `report.json`.
extension RunReport {
  /// The text of `report.json`; `seconds` are those of the run.
  func json(seconds: Double) -> ByteBuffer {
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
      writeDuplicates(to: &json)
      json.object("unknown_fields") { json in
        for (name, count) in merge.tally.unknownFields { json.member(named: name, count) }
      }
      if let snapshot {
        json.member("profiles", snapshot.profiles)
        json.member("event_names", snapshot.eventNames)
        json.member("array_overflow", snapshot.arrayOverflow)
      }
      writeActivity(to: &json)
      writeTimes(seconds: seconds, to: &json)
    }
    json.endLine()
    return json.finish()
  }

  private func writeInputs(to json: inout JSONWriter) {
    let firstOf = Dictionary(repeated.map { ($0.path, $0.first) }) { first, _ in first }
    var skipped = selection.skipped[...]
    json.array("inputs") { json in
      for (outcome, ledger) in zip(merge.outcomes, merge.ledgers) {
        // Both lists are sorted by path, and so is what comes of them.
        while let next = skipped.first,
          next.path.utf8.lexicographicallyPrecedes(outcome.file.path.utf8)
        {
          json.object { json in next.writeReport(to: &json) }
          skipped.removeFirst()
        }
        json.object { json in
          json.member("path", outcome.file.path)
          if let summary = outcome.summary {
            json.member("compression", summary.compression.rawValue)
            json.member("bytes", summary.compressedBytes)
            json.member("decompressed_bytes", summary.decompressedBytes)
          }
          if merge.resumed.contains(outcome.file.path) { json.member("resumed", true) }
          if let first = firstOf[outcome.file.path] { json.member("same_content_as", first) }
          ledger.write("ledger", to: &json)
          if let lost = outcome.lost { write(lost, of: outcome, to: &json) }
        }
      }
      for input in skipped { json.object { json in input.writeReport(to: &json) } }
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

  private func writeTimes(seconds: Double, to json: inout JSONWriter) {
    json.object("time") { json in
      json.member("seconds", seconds)
      json.member("records_per_second", Double(merge.total.records) / max(seconds, 1e-9))
      json.member("megabytes_per_second", Double(decompressedBytes) / 1e6 / max(seconds, 1e-9))
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
}
