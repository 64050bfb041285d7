import Pipeline

extension [StageTime] {
  /// Seconds of work of all stages; never zero.
  var work: Double { Swift.max(reduce(0) { $0 + $1.seconds }, 1e-9) }

  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  var slowest: (name: String, share: Double)? {
    self.max { $0.nanoseconds < $1.nanoseconds }.map { ($0.name, $0.seconds / work) }
  }

  /// Writes the fields `slowest_stage` and `stages` of a `report.json`.
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
  /// Writes the field `time` of a `report.json` for a job that took `seconds` for `records` records
  /// and `bytes` bytes of JSON.
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
