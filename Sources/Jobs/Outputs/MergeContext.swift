import Pipeline
import Stages

/// What a job merges in: the numbers of names, the shards of the keys, and where these spill to.
struct MergeContext {
  let names: RunNames
  let spills: SpillStore
  let shards: [ProfileShard]
}

extension MergeContext {
  /// An empty context in `staging`, where it makes the directory for what is of use during the job
  /// only. `shards` share the memory of `options`; only keys of `sections` are merged.
  init(
    _ options: RunOptions, sections: [KeySection] = KeySection.allCases, shards count: Int,
    in staging: StagedDirectory
  ) throws(Failure) {
    try staging.makeDirectory(RunFiles.work)
    let names = RunNames(limit: options.read.maxNames)
    self.names = names
    let spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, sections: sections, names: names,
      partitions: options.snapshot.partitions,
      tableLimit: MemoryShare.table(options.read.memory, shards: count))
    self.spills = spills
    shards = (0..<count).map { _ in ProfileShard(spills: spills) }
  }
}
