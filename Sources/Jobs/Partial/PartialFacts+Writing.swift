import Pipeline
import Stages

/// Writing of `facts.json`.
extension PartialFacts {
  /// The text of the file.
  func json() -> ByteBuffer {
    JSONWriter.document { json in write(to: &json) }
  }

  /// Writes the fields of the open object.
  func write(to json: inout JSONWriter) {
    json.member("eventmill_facts", PartialFile.formatVersion)
    json.objects("inputs", of: outcomes.indices) { input, json in
      Self.write(outcomes[input], to: &json)
      tally.ledgers[input].write("ledger", to: &json)
      tally.dialects.write(input: input, to: &json)
    }
    json.member("lines_with_rejects", tally.linesWithRejects)
    Self.write(tally.reasons, "reasons", to: &json)
    Self.write(tally.losses, "losses", to: &json)
    json.object("unknown_fields", of: tally.unknownFields)
    json.member("other_unknown_fields", tally.otherUnknownFields)
    if !tally.remarks.isEmpty {
      json.object("implausible_dates", of: tally.implausibleDates)
      json.member("other_implausible_dates", tally.otherImplausibleDates)
      Self.write(tally.remarks, "remarks", to: &json)
    }
    tally.dialects.writeNotes(to: &json)
    if tally.policies != PolicyComparison() { tally.policies.write("policies", to: &json) }
    SuppressedTally.write(tally.suppressed, to: &json)
    json.array("attributes", of: attributes)
    let days = PackedDays.ByName(totals.days.packed)
    json.objects("events", of: events.indices) { number, json in
      write(events[number], UInt32(number), days[UInt32(number)], to: &json)
    }
    Self.write(duplicates, "duplicates", to: &json)
    json.array("read_days") { json in
      for (number, day) in totals.readDays.sorted {
        json.array { json in
          json.item(number)
          json.item(day.events)
          json.item(day.last)
        }
      }
    }
    hours.write("hours", to: &json)
    if !alreadyRead.isEmpty {
      json.objects("skipped", of: alreadyRead) { input, json in input.write(to: &json) }
    }
    if ignoredFiles.count > 0 { ignoredFiles.write("passed_over", to: &json) }
    tracking?.writeFacts(to: &json)
  }

  private static func write(_ outcome: InputOutcome, to json: inout JSONWriter) {
    json.member("path", outcome.file.path)
    if let summary = outcome.summary {
      json.member("compression", summary.compression.rawValue)
      json.member("bytes", summary.compressedBytes)
      json.member("xxh64", XXH64.text(summary.hash))
      json.member("decompressed_bytes", summary.decompressedBytes)
      json.member("lines", summary.lines)
      summary.content?.write(to: &json)
    }
    outcome.file.start?.write(to: &json)
    if !outcome.origins.isEmpty {
      json.array("origins", of: outcome.origins.map { Int($0.number) })
    }
    if !outcome.isLog { json.member("log", false) }
    if let line = outcome.cutShort { json.member("cut_short", line) }
    if let lost = outcome.lost {
      json.object("lost") { json in
        json.member("kind", lost.kind.rawValue)
        json.member("doing", lost.doing)
        if let frame = lost.frame { json.member("frame", frame) }
        if let offset = lost.offset { json.member("offset", offset) }
        json.member("why", lost.why)
      }
    }
  }

  private static func write(
    _ codes: [TallyFacts.CodeCount], _ key: StaticString, to json: inout JSONWriter
  ) {
    json.objects(key, of: codes) { code, json in
      json.member("code", code.code.text)
      json.member("count", code.count)
      json.objects("samples", of: code.samples) { sample, json in
        json.member("input", sample.input)
        json.member("line", sample.line)
        json.member("path", sample.path)
        if let message = sample.message { json.member("message", message) }
        if let raw = sample.raw { json.member("raw", raw) }
      }
    }
  }

  private func write(
    _ name: String, _ number: UInt32, _ days: PackedDays.DaysOfName?, to json: inout JSONWriter
  ) {
    json.member("name", name)
    let total = totals[number]
    guard totals.contains(number) else { return }
    json.member("count", total.count)
    json.member("duplicates", total.duplicates)
    if !total.seen.isNever {
      json.member("first", total.seen.first)
      json.member("last", total.seen.last)
    }
    json.object("dialects") { json in
      for dialect in Dialect.known where totals.count(number, dialect) > 0 {
        json.member(named: dialect.name, totals.count(number, dialect))
      }
    }
    if let days { CountPairs.write(days, "days", to: &json) }
    totals.sourceNames(of: number).write(to: &json)
  }

  /// Writes the number of duplicates, by their input and that of the kept event.
  static func write(
    _ duplicates: [DuplicateTally.Pair: Int], _ key: StaticString, to json: inout JSONWriter
  ) {
    json.array(key) { json in
      let sorted = duplicates.sorted { $0.key < $1.key }
      for (pair, count) in sorted {
        json.array { json in
          json.item(Int(pair.dropped.number))
          json.item(Int(pair.counted.number))
          json.item(pair.isEarlier)
          json.item(count)
        }
      }
    }
  }
}

extension DuplicateTally.Pair {
  /// An order that depends on the inputs alone.
  static func < (a: Self, b: Self) -> Bool {
    (a.dropped.number, a.counted.number, a.isEarlier ? 1 : 0)
      < (b.dropped.number, b.counted.number, b.isEarlier ? 1 : 0)
  }
}
