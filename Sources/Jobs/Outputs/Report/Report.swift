package import Pipeline
import Stages

/// `report.json` of a run, a migration or a redrive (docs/reference/file-formats.md).
struct Report: WrittenObject {
  let stamp: RunStamp
  let options: RecordedOptions
  /// The accounting of lines, or of the entries of a redrive.
  let ledger: any WrittenValue
  var redrivenLines: Int?
  let inputs: [ReportInput]
  var ignoredFiles: IgnoredFiles?
  let tally: TallyFacts
  /// The paths of the inputs that samples number.
  let paths: [String]
  let entries: Int
  var dialects: DialectFacts?
  /// The fields that only runs have.
  var run: RunReport?
  /// Of a run or a migration.
  var verdict: Verdict?
  let times: FlowTimes
  let stages: [StageTime]
  let records: Int
  let bytes: Int

  static let fields: [Field<Report>] = [
    .written("tool") { $0.stamp.tool }, .written("run") { $0.stamp },
    .written("verdict", \.verdict), .written("options") { $0.options },
    .written { $0.ledger.write("ledger", to: &$1) },
    .written("redriven_lines") { $0.redrivenLines }, .written("inputs") { $0.inputs },
    .written("passed_over") { $0.ignoredFiles }, .written("earlier_folders") { $0.run?.late.ifAny },
    .written("rejects") { Rejects(report: $0) },
    .written("losses") { $0.tally.reported($0.tally.losses, of: $0.paths) },
    .written("remarks") { $0.tally.remarks(of: $0.paths) },
    .written { $0.run?.writeDuplicates(to: &$1) },
    .written("tracking") { $0.run?.ingest.tracking?.reported },
    .written("unknown_fields") { $0.tally.unknownFields },
    .written("dialects") { $0.dialects.map(ReportedDialects.init) },
    .written { $0.run?.comparison?.write(to: &$1) },
    .written("recent_nights") { $0.run?.recentNights },
    .written("not_published") { $0.run?.refusal },
    .written("profiles") { $0.run?.snapshot?.tally.lines },
    .written("event_names") { $0.run?.snapshot?.eventNames },
    .written("array_overflow") { $0.run?.snapshot?.tally.arrayOverflow },
    .written("erased_straddling") { $0.run?.snapshot?.tally.erasedStraddling },
    .written { $0.run?.writeErasures(to: &$1) },
    .written("hot_ids") { $0.run?.snapshot?.tally.hot },
    .written { $0.run?.writeActivity(to: &$1) },
    .written { report, json in
      report.times.write(
        seconds: report.stamp.seconds, records: report.records, bytes: report.bytes, to: &json)
    },
    .written { $0.stages.write(to: &$1) },
  ]

  /// Unknown fields are kept, because they hold nothing from logs.
  static var origin: Origin { .fields(Field.origins(of: fields), others: false) }
  var text: ByteBuffer { JSONWriter.sealed { writeFields(to: &$0) } }
}

struct ReportInput: WrittenObject {
  let path: String
  /// What was read of it; nil if it was skipped.
  var outcome: InputOutcome?
  var skipped: AlreadyRead?
  var log: (file: WrittenFile, target: ArchivePlan.Target)?
  var isResumed = false
  var sameAs: String?
  var beginsWith: String?
  var ledger: Ledger?
  var dialects: [NamedCount]?

  static let fields: [Field<ReportInput>] = [
    .written("path") { $0.path },
    .written("grown") { $0.outcome?.file.start },
    .written("compression") { $0.outcome?.summary?.compression.rawValue },
    .written("bytes") { $0.outcome?.summary?.compressedBytes },
    .written("decompressed_bytes") { $0.outcome?.summary?.decompressedBytes },
    .written { input, json in
      guard let skipped = input.skipped else { return }
      json.object("skipped") { json in
        json.member("as", skipped.earlier)
        json.member("xxh64", XXH64.text(skipped.facts.xxh64))
      }
    },
    .written { input, json in
      guard let (file, target) = input.log else { return }
      json.object("output") { json in
        json.member("path", file.path)
        json.member("bytes", file.bytes)
        json.member("lines", file.lines)
      }
      target.write(to: &json)
    },
    .written("resumed") { $0.isResumed ? true : nil },
    .written("same_content_as") { $0.sameAs }, .written("begins_with") { $0.beginsWith },
    .written("ledger") { $0.ledger },
    .written { input, json in if let all = input.dialects { json.object("dialects", of: all) } },
    .written("cut_short") { $0.outcome?.cutShort },
    .written { input, json in
      guard let lost = input.outcome?.lost else { return }
      json.object("lost") { json in
        json.member("from_offset", lost.offset ?? 0)
        if let frame = lost.frame { json.member("frame", frame) }
        json.member("kind", lost.kind.rawValue)
        json.member("why", lost.why)
      }
    },
  ]
}

/// Lines and entries of rejects, and the count and first position of each reason.
private struct Rejects: WrittenObject {
  let report: Report

  static let fields: [Field<Rejects>] = [
    .written("lines") { $0.report.tally.linesWithRejects },
    .written("entries") { $0.report.entries },
    .written { rejects, json in
      json.object(
        "reasons", of: rejects.report.tally.reasons.map { NamedCount($0.code.text, $0.count) })
    },
    .written("first") { rejects in
      Named(
        rejects.report.tally.reasons.map {
          ($0.code.text, $0.places(in: rejects.report.paths)[0])
        })
    },
  ]
}

/// A position in a log.
package struct LogPosition: Document {
  private(set) var source = ""
  private(set) var line = 0
  private(set) var path = ""

  package static let fields: [Field<LogPosition>] = [
    .value("source", \.source), .value("line", \.line), .line("path", \.path),
  ]

  package init() {}

  init(source: String, line: Int, path: String) {
    (self.source, self.line, self.path) = (source, line, path)
  }
}

/// The count and first positions of a loss, or of a remark and its keys.
package struct ReportedCode: WrittenObject {
  fileprivate let count: Int
  fileprivate var keys: NameCounts?
  fileprivate let samples: [LogPosition]

  package static let fields: [Field<ReportedCode>] = [
    .written("count") { $0.count }, .written("by_key") { $0.keys },
    .written("samples") { $0.samples },
  ]
}

/// A loss, as a line of `losses.ndjson`.
struct LossLine: WrittenObject {
  let code: String
  let loss: ReportedCode

  static let fields: [Field<LossLine>] = [
    .written("code") { $0.code }, .written("count") { $0.loss.count },
    .written("samples") { $0.loss.samples },
  ]

  static func text(of losses: [LossLine]) -> ByteBuffer {
    var text = ByteBuffer()
    for loss in losses.sorted(byBytesOf: \.code) {
      JSONWriter.line(to: &text) { loss.writeFields(to: &$0) }
    }
    return text
  }
}

extension StagedDirectory {
  /// Writes the loss report: a line per code, sorted, with its count and the first positions.
  func write(losses: [TallyFacts.CodeCount], of inputs: [InputOutcome]) throws(Failure) {
    let paths = inputs.map(\.file.path)
    let lines = losses.map { LossLine(code: $0.code.text, loss: $0.reported(of: paths)) }
    try folder.write(LossLine.text(of: lines), to: RunFiles.losses, lines: losses.count)
  }
}

extension LossLine {
  /// The loss that a report has as `value`.
  init(_ code: String, reported value: JSONValue) {
    var reading = DocumentReading()
    let samples = value["samples"].flatMap { try? [LogPosition].read($0, &reading) }
    self.init(
      code: code, loss: ReportedCode(count: value["count"]?.int ?? 0, samples: samples ?? []))
  }
}

/// Lines by dialect in all inputs, and the ignored input.
private struct ReportedDialects: WrittenObject {
  let facts: DialectFacts

  static let fields: [Field<ReportedDialects>] =
    [
      .written { dialects, json in
        json.object(
          "lines",
          of: Dialect.known.map { NamedCount($0.name, dialects.facts.lines(of: $0)) }
            .filter { $0.count > 0 })
      }
    ] + DialectFacts.fields.map { $0.of { $0.facts } }
}

extension TallyFacts.CodeCount {
  /// The known examples; `paths` are those of the inputs.
  package func places(in paths: [String]) -> [LogPosition] {
    samples.map { LogPosition(source: paths[$0.input], line: $0.line, path: $0.path) }
  }

  func reported(of paths: [String]) -> ReportedCode {
    ReportedCode(count: count, samples: places(in: paths))
  }
}

extension TallyFacts {
  fileprivate func reported(_ codes: [CodeCount], of paths: [String]) -> Named<ReportedCode> {
    Named(codes.map { ($0.code.text, $0.reported(of: paths)) })
  }

  /// The remarks by code, with their keys and first examples; `paths` are those of the inputs.
  package func remarks(of paths: [String]) -> Named<ReportedCode> {
    Named(
      remarks.map {
        (
          $0.code.text,
          ReportedCode(count: $0.count, keys: implausibleDates, samples: $0.places(in: paths))
        )
      })
  }
}

extension IgnoredFiles {
  package func writeField(to json: inout JSONWriter) { write("passed_over", to: &json) }
}

extension [TallyFacts.CodeCount] {
  package var total: Int { reduce(0) { $0 + $1.count } }
}
