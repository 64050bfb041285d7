import Pipeline
import Stages

/// Duplicate events: how many of each input, and which inputs' events count.
extension RunReport {
  /// Events of one input that another input had delivered before.
  struct Redelivery {
    /// The input of this run with the dropped events.
    let input: String
    /// The input with the events that count; nil for an unknown one.
    let counted: String?
    /// Whether an earlier night has read that.
    let isEarlier: Bool
    let events: Int
  }

  /// Most pairs of inputs reported, those with the most events.
  static var mostRedeliveries: Int { 1000 }

  /// The pairs of inputs with the same events, the most events first.
  var redeliveries: [Redelivery] {
    var paths: [InputSourceID: String] = [:]
    for input in selection.earlier.inputs { paths[InputSourceID(path: input.path)] = input.path }
    for outcome in ingest.outcomes {
      paths[InputSourceID(path: outcome.file.path)] = outcome.file.path
    }
    // Redriven lines are dropped in the input that holds them, which differs from their original
    // one.
    let inputs = ingest.inputsOfSources
    return ingest.duplicates.map { pair, events in
      Redelivery(
        input: inputs[pair.dropped]?.first.map { ingest.outcomes[$0].file.path } ?? "",
        counted: paths[pair.counted],
        isEarlier: pair.isEarlier, events: events)
    }.sorted {
      if $0.events != $1.events { return $0.events > $1.events }
      // By bytes: two paths can differ and still be equal as characters.
      let (one, other) = (FilePath($0.input), FilePath($1.input))
      if one != other { return one < other }
      let (oneFirst, otherFirst) = (FilePath($0.counted ?? ""), FilePath($1.counted ?? ""))
      if oneFirst != otherFirst { return oneFirst < otherFirst }
      // A path that occurs every night: tonight's own comes before that of an earlier night.
      return !$0.isEarlier && $1.isEarlier
    }
  }

  /// Writes the field `duplicates` of the open object.
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
