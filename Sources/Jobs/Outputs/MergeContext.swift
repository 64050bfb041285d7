import Pipeline
import Stages

/// The shared state of a merge: the numbers of names, the shards of the keys, and where they spill.
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
    let spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, sections: sections, names: names,
      partitions: options.snapshot.partitions,
      tableLimit: MemoryShare.table(options.read.memory, shards: count))
    self.spills = spills
    shards = (0..<count).map { _ in ProfileShard(spills: spills) }
  }
}
