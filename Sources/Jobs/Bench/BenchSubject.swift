import Pipeline

/// A subject of a benchmark: a stage by itself, or a whole job.
package enum BenchSubject: String, CaseIterable, Sendable {
  case decompress, cut, parse, reader, validator, migration, canonical, router, quarantine, merge,
    aggregation, publish
  case count, run, migrate

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

  package var name: String { rawValue }
  package var kind: Kind {
    switch self {
    case .cut, .parse: .part
    case .canonical: .sum
    case .count, .run, .migrate: .job
    default: .stage
    }
  }

  static let canonicalStages: [BenchSubject] = [.reader, .validator, .migration]
}
