import Pipeline
import Stages

/// The shared state of a merge: the numbers of names, the shards of the keys, and what other
/// processes have read.
struct MergeContext {
  let names: RunNames
  let spills: SpillStore
  let shards: [ProfileShard]
}

extension MergeContext {
  /// An empty context in `staging`, in which it creates the directory for temporary files. `shards`
  /// share the memory of `options`; only keys of `sections` are merged.
  init(
    _ options: RunOptions, sections: [KeySection] = KeySection.allCases, shards count: Int,
    in staging: StagedDirectory
  ) throws(Failure) {
    try staging.makeDirectory(RunFiles.work)
    let names = RunNames(limit: options.read.maxNames)
    self.names = names
    spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, sections: sections, names: names,
      partitions: options.snapshot.partitions)
    shards = ProfileShard.shards(
      count,
      KeyLogOptions(
        partitions: options.snapshot.partitions, limit: MemoryShare.logs(options.read.memory),
        memory: options.read.memory, in: staging.folder, directory: RunFiles.work))
  }
}
