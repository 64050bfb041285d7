import Pipeline

/// What a benchmark measures: a stage by itself, or a whole job.
package enum BenchSubject: String, CaseIterable, Sendable {
  case decompress, cut, parse, reader, validator, migration, canonical, router, quarantine, merge,
    aggregation, publish
  case count, run, migrate

  /// How a subject relates to the others.
  package enum Kind: String, Sendable {
    /// One of the stages that make up a run, one thread.
    case stage
    /// A part of the stage that follows, measured once more by itself.
    case part
    /// Some of the stages before it, added up.
    case sum
    /// A whole job, on as many threads as it is given.
    case job
  }

  /// What `stage` is measured as: the subject of its name; nil for a stage without a line.
  init?(measuring stage: any Stage) { self.init(rawValue: "\(type(of: stage).name)") }

  /// What the command line and the results call it.
  package var name: String { rawValue }

  package var kind: Kind {
    switch self {
    case .cut, .parse: .part
    case .canonical: .sum
    case .count, .run, .migrate: .job
    default: .stage
    }
  }

  /// The stages that make canonical records of lines.
  static let canonicalStages: [BenchSubject] = [.reader, .validator, .migration]

  /// What is done in it.
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
    case .quarantine: "entries for what was rejected"
    case .merge: "operations into the state of each key"
    case .aggregation: "totals per event name"
    case .publish: "sort, render and compress the snapshot"
    case .count: "eventmill count"
    case .run: "eventmill run"
    case .migrate: "eventmill migrate"
    }
  }
}
