import Pipeline
import Stages

/// The chain of stages of each job, first to last (docs/design/architecture.md, Where to add
/// things). A chain is created once per lane, or per shard, and belongs to it.
enum Chains {
  typealias Lane = [any Stage<WorkUnit>]
  typealias Shard = [any Stage<RoutedSlice>]

  /// Lines to records and their faults. The batch has an entry for every line if it `listsBlank`
  /// ones, and all values if it `needsValues`; without `writesAttributes` the attributes of events
  /// may stay unconverted.
  static func valid(
    _ rules: Rules, listsBlank: Bool = false, needsValues: Bool = false,
    writesAttributes: Bool = true, selection: SelectionStage? = nil
  ) -> Lane {
    let reader = ReaderStage(
      rules: rules, listsBlank: listsBlank, needsValues: needsValues,
      writesAttributes: writesAttributes)
    return [reader] + stages(selection) + [ValidatorStage(rules: rules)]
  }

  static func canonical(
    _ rules: Rules, listsBlank: Bool = false, needsValues: Bool = false,
    writesAttributes: Bool = true, selection: SelectionStage? = nil
  ) -> Lane {
    valid(
      rules, listsBlank: listsBlank, needsValues: needsValues, writesAttributes: writesAttributes,
      selection: selection) + [MigrationStage()]
  }

  /// `run` and `partial`, up to the shards. Suppression comes before the router and `tracking`.
  static func ingest(
    _ rules: Rules, erasure: ErasureStage?, consent: ConsentStage?,
    tracking: TrackingCheckStage? = nil, router: RouterStage, quarantine: QuarantineStage
  ) -> Lane {
    canonical(rules, needsValues: tracking != nil) + stages(erasure) + stages(consent)
      + stages(tracking) + [router, quarantine]
  }

  /// `inspect`, for logs: what a run makes of a person's records, up to the router.
  static func inspect(
    _ rules: Rules, erasure: ErasureStage?, consent: ConsentStage?, _ person: PersonStage
  ) -> Lane { canonical(rules) + stages(erasure) + stages(consent) + [person] }

  /// `run` and `partial`, after the router.
  static func merge(_ shard: ProfileShard, _ counts: Locked<RunCounts>) -> Shard {
    [shard, AggregationStage(counts)]
  }

  static func consents(_ rules: Rules, _ collector: ConsentCollector) -> Lane {
    valid(rules) + [collector]
  }

  /// `count`. With `proof`, and where the stage needs attributes, the records are migrated as well.
  static func count(
    _ rules: Rules, proof: FieldProofStage?, migrates: Bool, _ counting: EventCountStage
  ) -> Lane {
    guard migrates || proof != nil else {
      return valid(rules, writesAttributes: false) + [counting]
    }
    return canonical(rules, needsValues: true) + stages(proof) + [counting]
  }

  static func trackingInfer(_ rules: Rules, _ tally: Locked<TrackingTally>) -> Lane {
    canonical(rules, needsValues: true) + [TrackingInferStage(tally)]
  }

  static func trackingCheck(_ rules: Rules, _ checking: TrackingCheckStage) -> Lane {
    canonical(rules, needsValues: true) + [checking]
  }

  static func explain(_ rules: Rules, sources: [String]?) -> Lane {
    canonical(rules, listsBlank: true, needsValues: true)
      + [ExplainStage(sources: sources, mappings: rules.mappings)]
  }

  static func migrate(_ rules: Rules, sources: [String]) -> Lane {
    canonical(rules)
      + [CanonicalTextStage(), QuarantineStage(sources: sources)]
  }

  static func redrive(_ rules: Rules) -> Lane {
    canonical(rules, listsBlank: true, selection: SelectionStage())
      + [RedrivenTextStage(), RedriveRejectsStage()]
  }

  /// `verify`, for logs that must have the form that `text` writes.
  static func verify(
    _ rules: Rules, text: any Stage<WorkUnit>, absence: AbsenceStage?, counting: EventCountStage?
  ) -> Lane { canonical(rules, listsBlank: true) + [text] + stages(absence) + stages(counting) }

  private static func stages(_ stage: (some Stage<WorkUnit>)?) -> Lane { stage.map { [$0] } ?? [] }
}
