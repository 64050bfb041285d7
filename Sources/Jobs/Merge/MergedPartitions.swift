import Pipeline
import Stages

/// The results of earlier steps for all partitions: each once, all of one run.
struct MergedPartitions {
  private static let doing = "reading merged partitions"

  private let steps: [MergeStep: [PartitionDirectory]]

  /// Opens the results of `steps` in the directories `locations`, which `mayBePartitions`
  /// themselves, of `run`, or of the run of the first one.
  init(
    in locations: [String], mayBePartitions: Bool = false, _ steps: [MergeStep],
    of run: Manifest? = nil, system: System
  ) throws(Failure) {
    let paths = try Self.directories(
      in: locations, mayBePartitions: mayBePartitions, steps, system)
    let found = try paths.map { path throws(Failure) in
      try PartitionDirectory(path, system: system)
    }
    let run = run ?? found.first?.manifest
    for partition in found where steps.contains(partition.step) {
      guard let run, partition.manifest.isMade(like: run) else {
        throw PartialSet.refusal(
          partition.path,
          "its partials, options, program or previous state differ from those of the others",
          "merge it again with theirs")
      }
    }
    let count = found.first?.partitions
    var complete: [MergeStep: [PartitionDirectory]] = [:]
    for step in steps {
      let known = Dictionary(
        found.lazy.filter { $0.step == step }.map { ($0.partition, $0) }, uniquingKeysWith: { $1 })
      complete[step] = try (0..<(count ?? 1)).map { number throws(Failure) in
        if let partition = known[number] { return partition }
        throw PartialSet.refusal(
          locations.first ?? "", "partition \(number)\(count.map { " of \($0)" } ?? "") is missing",
          "run: eventmill cluster merge --step \(step.rawValue) --partition \(number)")
      }
    }
    self.steps = complete
  }

  /// The directories of partitions in `locations`; one without any may be a partition itself.
  private static func directories(
    in locations: [String], mayBePartitions: Bool, _ steps: [MergeStep], _ system: System
  ) throws(Failure) -> [String] {
    var paths: [String] = []
    for directory in locations {
      try checkPresence(directory, system)
      let names = try system.names(in: directory, doing: doing).sortedByBytes
      let inner = names.filter { MergeOutput.step(of: $0) != nil }
      if inner.isEmpty, mayBePartitions { paths.append(directory) }
      for name in inner where MergeOutput.step(of: name).map(steps.contains) ?? false {
        paths.append("\(directory)/\(name)")
      }
    }
    return paths
  }

  static func checkPresence(_ directory: String, _ system: System) throws(Failure) {
    guard try system.statusIfAny(of: directory, doing: doing) == nil else { return }
    throw PartialSet.refusal(directory, "it does not exist", "merge every partition first")
  }

  /// The partitions of a step, in order.
  subscript(_ step: MergeStep) -> [PartitionDirectory] { steps[step] ?? [] }

  var all: [PartitionDirectory] { MergeStep.allCases.flatMap { self[$0] } }

  /// The installations written for the partition number `people`.
  func members(for people: Int) throws(Failure) -> [SortedRun] {
    var files: [SortedRun] = []
    for partition in self[.installations] + self[.unchanged] {
      if let file = try partition.members(for: people) { files.append(file) }
    }
    return files
  }

  /// The people of all partitions whose profiles may have changed.
  func persons() throws(Failure) -> DirtyPersonFilter {
    var all = DirtyPersonFilter()
    for partition in self[.installations] {
      if let persons = try partition.persons() { all.merge(persons) }
    }
    return all
  }
}
