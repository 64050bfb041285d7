import Pipeline
package import Stages

/// The fields of `report.json` that only runs have.
extension RunReport {
  var json: ByteBuffer {
    var report = reported(reportedInputs)
    report.run = self
    return report.text
  }

  /// Those that were read and those that were skipped, in the order of their paths.
  private var reportedInputs: [ReportInput] {
    let firstOf = Dictionary(repeated.map { ($0.path, $0.first) }) { first, _ in first }
    let overlapped = Dictionary(selection.overlapping.map { ($0.path, $0.first) }) { a, _ in a }
    let read = ingest.outcomes.enumerated().map { index, outcome in
      let path = outcome.file.path
      let input = ReportInput(
        path: path, outcome: outcome, sameAs: firstOf[path], beginsWith: overlapped[path],
        ledger: ingest.ledgers[index], dialects: ingest.tally.dialects.named(ofInput: index))
      return (path, input)
    }
    let skipped = selection.alreadyRead.map {
      ($0.path, ReportInput(path: $0.path, skipped: $0, ledger: Ledger()))
    }
    if skipped.isEmpty { return read.map(\.1) }
    return (read + skipped).sorted(byBytesOf: \.0).map(\.1)
  }

  func writeErasures(to json: inout JSONWriter) {
    if snapshot != nil, requests != nil { ErasureRequests.write(erased, to: &json) }
  }

  /// With more hours than this, `report.json` has days instead.
  static let mostHours = 20_000

  /// Writes events per hour, lateness and the most frequent event names.
  func writeActivity(to json: inout JSONWriter) {
    let (activity, far) = (ingest.activity, farEvents)
    let areDays = activity.hours.hours.count > Self.mostHours
    json.objects(
      areDays ? "events_per_day" : "events_per_hour",
      of: TimeBin.fold(activity.hours.hours, by: areDays ? 24 : 1)
    ) { bin, json in
      json.member(areDays ? "day" : "hour", Timestamp.text(bin.start))
      json.member("events", bin.events)
    }
    if activity.untimedEvents > 0 { json.member("untimed_events", activity.untimedEvents) }
    if far.ahead > 0 { json.member("far_ahead", far.ahead) }
    if far.behind > 0 { json.member("far_behind", far.behind) }
    let lateness = lateness
    json.object("lateness") { json in
      if let newest = lateness.newest { json.member("newest", Timestamp.text(newest)) }
      json.objects("buckets", of: lateness.buckets) { bucket, json in
        let bound = bucket.under ?? bucket.from ?? 0
        json.member(
          bucket.under == nil ? "from" : "under", bound < 24 ? "\(bound)h" : "\(bound / 24)d")
        json.member("events", bucket.events)
      }
    }
    json.objects("top_events", of: activity.names) { name, json in
      json.member("name", name.name)
      json.member("events", name.count)
    }
  }

  /// How late the events of the run were.
  var lateness: Lateness {
    Lateness(ingest.activity.hours.hours, before: ingest.activity.days.newest)
  }

  /// Events of the run that are far from those of this run and the state it continues.
  package var farEvents: ReadDays.FarEvents {
    let days = ingest.activity.days
    return (snapshot?.readDays ?? days).far(of: days)
  }
}

// MARK: - Duplicates

extension RunReport {
  /// Events of one input that another input had delivered before.
  struct Redelivery {
    /// The input of this run with the dropped events.
    let input: String
    /// The input with the events that count; nil for an unknown one.
    let counted: String?
    let isEarlier: Bool
    let events: Int

    /// The order of those with as many events: by bytes; tonight's own before an earlier night's.
    fileprivate var order: (FilePath, FilePath, Int) {
      (FilePath(input), FilePath(counted ?? ""), isEarlier ? 1 : 0)
    }
  }

  static var mostRedeliveries: Int { 1000 }

  var redeliveries: [Redelivery] {
    let known = selection.earlier.inputs.map(\.path) + ingest.outcomes.map(\.file.path)
    let paths = Dictionary(known.map { (InputSourceID(path: $0), $0) }) { $1 }
    // Redriven lines are dropped in the input that holds them, not in their original one.
    let inputs = ingest.inputsOfSources
    return ingest.duplicates.map { pair, events in
      Redelivery(
        input: inputs[pair.dropped]?.first.map { ingest.outcomes[$0].file.path } ?? "",
        counted: paths[pair.counted], isEarlier: pair.isEarlier, events: events)
    }.sorted { $0.events == $1.events ? $0.order < $1.order : $0.events > $1.events }
  }

  func writeDuplicates(to json: inout JSONWriter) {
    let all = redeliveries
    json.object("duplicates") { json in
      json.member("total", ingest.total.duplicates)
      json.member("of_earlier_nights", all.reduce(0) { $0 + ($1.isEarlier ? $1.events : 0) })
      json.objects("inputs", of: all.prefix(Self.mostRedeliveries)) { redelivery, json in
        json.member("path", redelivery.input)
        if let counted = redelivery.counted { json.member("counted_in", counted) }
        json.member("earlier_night", redelivery.isEarlier)
        json.member("events", redelivery.events)
      }
    }
  }
}

// MARK: - Times

extension [StageTime] {
  /// Seconds of work of all stages; never zero.
  var work: Double { Swift.max(reduce(0) { $0 + $1.seconds }, 1e-9) }

  var slowest: (name: String, share: Double)? {
    self.max { $0.nanoseconds < $1.nanoseconds }.map { ($0.name, $0.seconds / work) }
  }

  func write(to json: inout JSONWriter) {
    let work = work
    json.member("slowest_stage", slowest?.name ?? "")
    json.objects("stages", of: self) { stage, json in
      let seconds = Swift.max(stage.seconds, 1e-9)
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

extension FlowTimes {
  /// Writes the field `time` of a `report.json`; `bytes` are those of JSON.
  func write(seconds: Double, records: Int, bytes: Int, to json: inout JSONWriter) {
    json.object("time") { json in
      json.member("seconds", seconds)
      json.member("records_per_second", Double(records) / max(seconds, 1e-9))
      json.member("megabytes_per_second", Double(bytes) / 1e6 / max(seconds, 1e-9))
      json.member("reader_stalled_seconds", Double(readerWithoutUnit) / 1e9)
      json.member("idle_seconds", Double(idle) / 1e9)
    }
  }
}
