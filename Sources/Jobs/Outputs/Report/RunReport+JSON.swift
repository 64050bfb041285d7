import Pipeline

/// `report.json`.
extension RunReport {
  /// The text of `report.json`; `seconds` are those of the run.
  func json(seconds: Double) -> ByteBuffer {
    stamp.report(by: tool, options, options.recorded(erasures)) { json in
      merge.total.write("ledger", to: &json)
      writeInputs(to: &json)
      ignoredFiles.write("passed_over", to: &json)
      if !late.isEmpty {
        json.object("earlier_folders") { json in late.write(to: &json) }
      }
      merge.tally.writeRejects(entries: merge.rejects.lines, of: merge.outcomes, to: &json)
      merge.tally.writeLosses(of: merge.outcomes, to: &json)
      merge.tally.writeRemarks(to: &json) { merge.outcomes[$0].file.path }
      writeDuplicates(to: &json)
      merge.tracking?.writeReport(to: &json)
      merge.tally.writeUnknownFields(to: &json)
      merge.tally.dialects.write("dialects", to: &json)
      comparison?.write(to: &json)
      if let refusal { json.member("not_published", refusal) }
      if let snapshot {
        json.member("profiles", snapshot.profiles)
        json.member("event_names", snapshot.eventNames)
        json.member("array_overflow", snapshot.arrayOverflow)
        json.member("erased_straddling", snapshot.erasedStraddling)
        if let requests {
          ErasureRequests.write(
            requests.outcomes(snapshot, merge.tally.suppressed), to: &json)
        }
        snapshot.hot.write("hot_ids", to: &json)
      }
      writeActivity(to: &json)
      merge.times.write(
        seconds: seconds, records: merge.total.records, bytes: merge.outcomes.decompressedBytes,
        to: &json)
      stages.write(to: &json)
    }
  }

  private func writeInputs(to json: inout JSONWriter) {
    let firstOf = Dictionary(repeated.map { ($0.path, $0.first) }) { first, _ in first }
    let overlapped = Dictionary(selection.overlapping.map { ($0.path, $0.first) }) { a, _ in a }
    var alreadyRead = selection.alreadyRead[...]
    json.array("inputs") { json in
      for (input, outcome) in merge.outcomes.enumerated() {
        // Both lists are sorted by path, and so is the result.
        while let next = alreadyRead.first,
          next.path.utf8.lexicographicallyPrecedes(outcome.file.path.utf8)
        {
          json.object { json in next.writeReport(to: &json) }
          alreadyRead.removeFirst()
        }
        json.object { json in
          outcome.writeRead(to: &json)
          if merge.resumed.contains(outcome.file.path) { json.member("resumed", true) }
          if let first = firstOf[outcome.file.path] { json.member("same_content_as", first) }
          if let other = overlapped[outcome.file.path] { json.member("begins_with", other) }
          merge.ledgers[input].write("ledger", to: &json)
          json.object("dialects", of: merge.tally.dialects.named(ofInput: input))
          outcome.writeLost(to: &json)
        }
      }
      for input in alreadyRead { json.object { json in input.writeReport(to: &json) } }
    }
  }
}
