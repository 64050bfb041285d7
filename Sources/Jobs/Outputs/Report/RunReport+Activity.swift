import Pipeline
package import Stages

/// Events per hour, lateness and the most frequent event names in `report.json`.
extension RunReport {
  /// With more hours than this, `report.json` has days instead.
  static let mostHours = 20_000

  /// Writes the activity as fields of the open object.
  func writeActivity(to json: inout JSONWriter) {
    let hours = ingest.activity.hours.hours
    let areDays = hours.count > RunReport.mostHours
    json.objects(
      areDays ? "events_per_day" : "events_per_hour",
      of: TimeBin.fold(hours, by: areDays ? 24 : 1)
    ) { bin, json in
      json.member(areDays ? "day" : "hour", Timestamp.text(bin.start))
      json.member("events", bin.events)
    }
    let untimed = ingest.activity.untimedEvents
    if untimed > 0 { json.member("untimed_events", untimed) }
    if farEvents.ahead > 0 { json.member("far_ahead", farEvents.ahead) }
    if farEvents.behind > 0 { json.member("far_behind", farEvents.behind) }
    write(lateness, to: &json)
    json.objects("top_events", of: ingest.activity.names) { name, json in
      json.member("name", name.name)
      json.member("events", name.count)
    }
  }

  /// How late the events of the run were.
  var lateness: Lateness {
    let activity = ingest.activity
    return Lateness(activity.hours.hours, before: activity.days.newest)
  }

  /// Events of the run that are far from those of this run and the state it continues.
  package var farEvents: ReadDays.FarEvents {
    let days = ingest.activity.days
    return (snapshot?.readDays ?? days).far(of: days)
  }

  private func write(_ lateness: Lateness, to json: inout JSONWriter) {
    json.object("lateness") { json in
      if let newest = lateness.newest { json.member("newest", Timestamp.text(newest)) }
      json.objects("buckets", of: lateness.buckets) { bucket, json in
        if let under = bucket.under {
          json.member("under", under)
        } else {
          json.member("from", bucket.from)
        }
        json.member("events", bucket.events)
      }
    }
  }
}
