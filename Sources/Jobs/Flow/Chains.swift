import Pipeline
import Stages

/// The chain of stages of each job, first to last. This is the only place that lists them, so a
/// stage that all jobs need is added here (docs/design/architecture.md, Where to add things).
///
/// A chain is made once per lane, or per shard, and belongs to it.
enum Chains {
  typealias Lane = [any Stage<WorkUnit>]
  typealias Shard = [any Stage<RoutedSlice>]

  /// Lines to records and what is wrong with them. `selection` stands where records are first
  /// known. With `isThorough` every line is among those of the batch, with all its values; without
  /// `writesAttributes` those of events may be left as they stand in the source.
  static func valid(
    _ rules: Rules, isThorough: Bool = false, writesAttributes: Bool = true,
    selection: SelectionStage? = nil
  ) -> Lane {
    let reader = ReaderStage(
      rules: rules, listsBlank: isThorough, walks: !isThorough, writesAttributes: writesAttributes)
    return [reader] + stages(selection) + [ValidatorStage(rules: rules)]
  }

  /// Lines to canonical records.
  static func canonical(
    _ rules: Rules, isThorough: Bool = false, selection: SelectionStage? = nil
  ) -> Lane {
    valid(rules, isThorough: isThorough, selection: selection) + [MigrationStage()]
  }

  /// `run` and `partial`, up to the shards. What is suppressed is decided before the router, and
  /// before `tracking`, which needs all values.
  static func ingest(
    _ rules: Rules, erasure: ErasureStage?, consent: ConsentStage?,
    tracking: TrackingCheckStage? = nil, router: RouterStage, quarantine: QuarantineStage
  ) -> Lane {
    canonical(rules, isThorough: tracking != nil) + stages(erasure) + stages(consent)
      + stages(tracking) + [router, quarantine]
  }

  /// `inspect`, for logs: what a run makes of a person's records, up to the router.
  static func inspect(
    _ rules: Rules, erasure: ErasureStage?, consent: ConsentStage?, _ person: PersonStage
  ) -> Lane {
    canonical(rules) + stages(erasure) + stages(consent) + [person]
  }

  /// `run` and `partial`, behind the router.
  static func merge(_ shard: ProfileShard, _ counters: EventCounters) -> Shard {
    [ProfileMergeStage(shard), AggregationStage(counters)]
  }

  /// What installations say of their consent, before a run.
  static func consents(_ rules: Rules, _ collector: ConsentCollector) -> Lane {
    valid(rules) + [collector]
  }

  /// `count`. With `proof`, and where the stage asks for attributes, the records are migrated as
  /// well.
  static func count(
    _ rules: Rules, proof: FieldProofStage?, migrates: Bool, _ counting: EventCountStage
  ) -> Lane {
    guard migrates || proof != nil else {
      return valid(rules, writesAttributes: false) + [counting]
    }
    return canonical(rules, isThorough: true) + stages(proof) + [counting]
  }

  /// `tracking infer`.
  static func trackingInfer(_ rules: Rules, _ tally: Locked<TrackingTally>) -> Lane {
    canonical(rules, isThorough: true) + [TrackingInferStage(tally)]
  }

  /// `tracking check`.
  static func trackingCheck(_ rules: Rules, _ checking: TrackingCheckStage) -> Lane {
    canonical(rules, isThorough: true) + [checking]
  }

  static func explain(_ rules: Rules, sources: [String]?) -> Lane {
    canonical(rules, isThorough: true) + [ExplainStage(sources: sources, mappings: rules.mappings)]
  }

  static func migrate(_ rules: Rules, sources: [String]) -> Lane {
    canonical(rules)
      + [PolicyStage(rules: rules), CanonicalTextStage(), QuarantineStage(sources: sources)]
  }

  static func redrive(_ rules: Rules) -> Lane {
    canonical(rules, isThorough: true, selection: SelectionStage())
      + [RedrivenTextStage(), RedriveRejectsStage()]
  }

  /// `verify`, for logs that have to be as `text` writes them.
  static func verify(
    _ rules: Rules, text: any Stage<WorkUnit>, absence: AbsenceStage?, counting: EventCountStage?
  ) -> Lane {
    canonical(rules, isThorough: true) + [text] + stages(absence) + stages(counting)
  }

  private static func stages(_ stage: (some Stage<WorkUnit>)?) -> Lane { stage.map { [$0] } ?? [] }
}
