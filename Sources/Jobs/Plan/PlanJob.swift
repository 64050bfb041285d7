package import Pipeline

extension JobControl {
  /// Divides the inputs of a night among at most `tasks` tasks (`eventmill cluster plan`): skips
  /// those whose content was read before, and assigns the rest, longest first, each to the task
  /// with the fewest bytes. Complexity: O(n · t) for n inputs and t tasks.
  /// - Throws: `usage`, for an input without a length; `corrupt`, `io`.
  package func plan(_ options: RunOptions, tasks: Int) throws(Failure) -> InputPlan {
    let survey = try InputDiscovery.survey(options.read, self)
    if let stream = survey.inputs.first(where: { $0.size == nil || $0.isStandardInput }) {
      throw Failure(
        .usage, doing: "planning", path: stream.path,
        why: "it has no length, and can be read only once", advice: "name files and directories")
    }
    let previous = try options.openPrevious(system)?.manifest
    let selection = try InputSelection(
      survey.inputs, previous: previous, reingest: options.merge.reingest, control: self)
    try selection.checkUnchanged()
    let longestFirst = selection.inputs.sorted { $0.size ?? 0 > $1.size ?? 0 }
    var groups = Array(repeating: InputPlan.Group(), count: min(tasks, longestFirst.count))
    for input in longestFirst {
      guard let least = groups.indices.min(by: { groups[$0].bytes < groups[$1].bytes }) else {
        preconditionFailure("there is a group for an input")
      }
      groups[least].bytes += input.size ?? 0
      groups[least].inputs.append(input.path)
    }
    // The partial with an input also skips its copies, and lists them.
    var groupOf: [FilePath: Int] = [:]
    for (number, group) in groups.enumerated() {
      for path in group.inputs { groupOf[FilePath(path)] = number }
    }
    var alreadyRead: [String] = []
    for skipped in selection.alreadyRead {
      if let group = groupOf[FilePath(skipped.earlier)] {
        groups[group].inputs.append(skipped.path)
      } else {
        alreadyRead.append(skipped.path)
      }
    }
    for group in groups.indices { groups[group].inputs = groups[group].inputs.sortedByBytes }
    return InputPlan(groups: groups, alreadyRead: alreadyRead, ignoredFiles: survey.ignoredFiles)
  }
}

package struct InputPlan: Sendable {
  package struct Group: Sendable {
    /// Bytes on disk, without those of copies.
    package fileprivate(set) var bytes = 0
    /// Sorted by their bytes; copies are with the input that is read.
    package fileprivate(set) var inputs: [String] = []
  }

  /// At most as many as there are inputs.
  package let groups: [Group]
  /// Inputs whose content an earlier night has read.
  package let alreadyRead: [String]
  package let ignoredFiles: IgnoredFiles

  package var bytes: Int { groups.reduce(0) { $0 + $1.bytes } }

  package func write(to json: inout JSONWriter) {
    json.objects("tasks", of: groups) { group, json in
      json.member("bytes", group.bytes)
      json.array("inputs", of: group.inputs)
    }
    json.array("skipped", of: alreadyRead)
    ignoredFiles.writeField(to: &json)
  }
}
