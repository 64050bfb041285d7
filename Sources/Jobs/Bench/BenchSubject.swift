import Stages

/// What a benchmark measures: a stage by itself, or a whole job.
package enum BenchSubject: String, CaseIterable, Sendable {
  case read, cut, parse, records, validate, migrate, canonical, route, quarantine, merge, aggregate,
    write
  case countJob = "job:count"
  case runJob = "job:run"
  case migrateJob = "job:migrate"

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

  /// What the command line and the results call it. A stage and a job may share a name.
  package var name: String {
    switch self {
    case .countJob: "count"
    case .runJob: "run"
    case .migrateJob: "migrate"
    default: rawValue
    }
  }

  package var kind: Kind {
    switch self {
    case .cut, .parse: .part
    case .canonical: .sum
    case .countJob, .runJob, .migrateJob: .job
    default: .stage
    }
  }

  /// The stages that make canonical records of lines.
  static let canonicalStages: [BenchSubject] = [.records, .validate, .migrate]

  /// What is done in it.
  package var summary: String {
    switch self {
    case .read: "read files, decompress, cut into blocks"
    case .cut: "find the lines of a block"
    case .parse: "scan JSON into the tape"
    case .records: "cut, parse, and read the lines as records"
    case .validate: "apply the rules"
    case .migrate: "v1 to v2"
    case .canonical: "records, validate and migrate together: from lines to canonical records"
    case .route: "operations by key"
    case .quarantine: "entries for what was rejected"
    case .merge: "operations into the state of each key"
    case .aggregate: "totals per event name"
    case .write: "sort, render and compress the snapshot"
    case .countJob: "eventmill count"
    case .runJob: "eventmill run"
    case .migrateJob: "eventmill migrate"
    }
  }
}
