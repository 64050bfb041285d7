package import Pipeline
import Stages

extension CommandOptions {
  /// The commands that fail when too many lines are rejected, unless `--max-rejects` allows it.
  private static let limited: Set<Command> = [
    .run, .night, .partial, .merge, .count, .migrate, .plan, .trackingInfer, .trackingCheck,
  ]

  /// The commands that put what does not fit into memory into files, which takes hardly longer as
  /// long as the system caches them; others need the memory.
  private static let spilling: Set<Command> = [.run, .night, .partial, .merge, .erase]

  package init(_ command: Command, _ given: OptionValues, operands: [String]) throws(Failure) {
    (self.given, self.operands, run) = (given, operands, RunOptions())
    run.read.inputs = operands
    if command.options.contains(.jobs) {
      run.read.jobs = System.processors
      run.read.memory = System.memory.map { $0 / 2 } ?? run.read.memory
    }
    run.read.maxRejects = Self.limited.contains(command) ? .usual : nil
    run.read.rules.raisesMaxLine = !given.isGiven(.maxLine)
    if [.run, .night, .erase].contains(command) { run.merge.now = System.secondsSince1970 * 1000 }
    // Its mapping describes a dialect that --dialect may name.
    if command == .mappingTest, let file = operands.first {
      run.read.rules.mappings = try MappingFiles.load([file])
    }
    for option in command.options {
      guard let value = given[option] else { continue }
      // The variable is for logs that are read; those of a benchmark are usually made.
      if option == .dialect, command == .bench, !value.isOnCommandLine { continue }
      try option.facts.setting(of: command).put(value, &self)
    }
    // It is opened several times, and `current` leads to another night by then.
    run.merge.previous = run.merge.previous.map(System.real.settled)
    run.read.jobs = min(run.read.jobs, CoreQueues.most)
    if Self.spilling.contains(command) { run.read.share(memoryIsGiven: given.isGiven(.memory)) }
    let rules = run.read.rules
    for (option, end, other, start) in [
      (Option.notAfter, rules.notAfter, Option.notBefore, rules.notBefore),
      (.until, rules.until, .since, rules.since),
    ] {
      guard let end, let start, start > end else { continue }
      throw given.bad(
        option, allowed: "it must not be before \(other.flag), \(Timestamp.text(start))")
    }
  }
}
