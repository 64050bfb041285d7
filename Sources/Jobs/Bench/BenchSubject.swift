import Pipeline

/// A subject of a benchmark: a stage by itself, or a whole job.
package enum BenchSubject: String, CaseIterable, Sendable {
  case decompress, cut, parse, reader, validator, migration, canonical, router, quarantine, merge,
    aggregation, publish
  case count, run, migrate

  /// The relation of a subject to the others.
  package enum Kind: String, DocumentWord, Sendable {
    /// One of the stages that make up a run, one thread.
    case stage
    /// A part of the next stage, measured again by itself.
    case part
    /// The sum of some stages before it.
    case sum
    /// A whole job, on as many threads as configured.
    case job
  }

  /// The subject for the measurements of `stage`; nil for a stage without a line.
  init?(measuring stage: any Stage) { self.init(rawValue: "\(type(of: stage).name)") }

  /// The name on the command line and in results.
  package var name: String { rawValue }

  package var kind: Kind {
    switch self {
    case .cut, .parse: .part
    case .canonical: .sum
    case .count, .run, .migrate: .job
    default: .stage
    }
  }

  /// The stages that turn lines into canonical records.
  static let canonicalStages: [BenchSubject] = [.reader, .validator, .migration]

  /// A description of its work.
  package var summary: String {
    switch self {
    case .decompress: "read files, decompress, cut into blocks"
    case .cut: "find the lines of a block"
    case .parse: "scan JSON into the tape"
    case .reader: "cut, parse, and read the lines as records"
    case .validator: "apply the rules"
    case .migration: "v1 to v2"
    case .canonical: "reader, validator and migration together: from lines to canonical records"
    case .router: "operations by key"
    case .quarantine: "reject entries"
    case .merge: "operations into the state of each key"
    case .aggregation: "totals per event name"
    case .publish: "sort, render and compress the snapshot"
    case .count: "eventmill count"
    case .run: "eventmill run"
    case .migrate: "eventmill migrate"
    }
  }
}
