import Stages
package import Pipeline

/// The counts as fields of a `report.json`.
extension TallyFacts {
  /// Writes the field `rejects`: number of lines, number of `entries`, counts by reason, and the
  /// first position of each. `inputs` are those that samples number.
  func writeRejects(entries: Int, of inputs: [InputOutcome], to json: inout JSONWriter) {
    json.object("rejects") { json in
      json.member("lines", linesWithRejects)
      json.member("entries", entries)
      json.object("reasons") { json in
        for reason in reasons { json.member(named: reason.code.text, reason.count) }
      }
      json.object("first") { json in
        for reason in reasons {
          json.object(named: reason.code.text) { json in
            reason.samples[0].write(to: &json) { inputs[$0].file.path }
          }
        }
      }
    }
  }

  /// Writes the field `losses`: by code, with their first examples.
  func writeLosses(of inputs: [InputOutcome], to json: inout JSONWriter) {
    json.object("losses") { json in
      for loss in losses {
        json.object(named: loss.code.text) { json in
          json.member("count", loss.count)
          loss.writeSamples(to: &json) { inputs[$0].file.path }
        }
      }
    }
  }

  /// Writes the field `unknown_fields`.
  package func writeUnknownFields(to json: inout JSONWriter) {
    unknownFields.write("unknown_fields", to: &json)
  }

  /// Writes the field `remarks`: by code, by key as in ``writeUnknownFields(to:)``, with their
  /// first examples. `path` is that of the input with a number.
  package func writeRemarks(to json: inout JSONWriter, path: (_ input: Int) -> String) {
    json.object("remarks") { json in
      for remark in remarks {
        json.object(named: remark.code.text) { json in
          json.member("count", remark.count)
          implausibleDates.write("by_key", to: &json)
          remark.writeSamples(to: &json, path: path)
        }
      }
    }
  }
}

extension TallyFacts.CodeCount {
  /// Writes the field `samples`: the known examples. `path` is that of the input with a number.
  package func writeSamples(to json: inout JSONWriter, path: (_ input: Int) -> String) {
    json.objects("samples", of: samples) { sample, json in sample.write(to: &json, path: path) }
  }
}

extension [TallyFacts.CodeCount] {
  /// The sum over all codes.
  package var total: Int { reduce(0) { $0 + $1.count } }
}

extension RunTally.Sample {
  /// Writes the fields of the open object.
  package func write(to json: inout JSONWriter, path: (_ input: Int) -> String) {
    json.member("source", path(input))
    json.member("line", line)
    json.member("path", self.path)
  }
}

extension InputOutcome {
  /// Writes what was read of the input as fields of the open object.
  func writeRead(to json: inout JSONWriter) {
    json.member("path", file.path)
    file.start?.write("grown", to: &json)
    guard let summary else { return }
    json.member("compression", summary.compression.rawValue)
    json.member("bytes", summary.compressedBytes)
    json.member("decompressed_bytes", summary.decompressedBytes)
  }

  /// Writes the field `cut_short`, if the input was, and the field `lost`, if there is something:
  /// the range of the decompressed file that could not be read; its end is unknown.
  func writeLost(to json: inout JSONWriter) {
    if let cutShort { json.member("cut_short", cutShort) }
    guard let lost else { return }
    json.object("lost") { json in
      json.member("from_offset", lost.offset ?? 0)
      if let frame = lost.frame { json.member("frame", frame) }
      json.member("kind", lost.kind.rawValue)
      json.member("why", lost.why)
    }
  }
}
