import Jobs
import Pipeline
import Stages

/// `eventmill inspect`: prints profiles for people, and the state (docs/reference/file-formats.md).
struct InspectCommand: Request {
  /// The question about a profile.
  private enum Question { case why, history }

  let options: CommandOptions
  private var output: String { options.operands[0] }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = JobControl()
    console.begin(Signals.Job { control.cancel($0) })
    let ids = Array(options.operands.dropFirst())
    if options.showsState { return try printState(of: ids.first, on: console, control) }
    guard options.asksWhy || !options.history.isEmpty else {
      return try printProfiles(of: ids, on: console, control)
    }
    return try JobRunner.run(on: console) { control throws(Failure) in
      try answer(options.asksWhy ? .why : .history, ids, on: console, control)
    }
  }

  // MARK: - Profiles

  private func printProfiles(
    of ids: [String], on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    var lookup = try ProfileLookup(output, control: control)
    var code = ExitCode.done
    var isFirst = true
    for id in ids {
      try control.check()
      let outcomes = try lookup.find(id)
      if outcomes.isEmpty { try report("\(output) does not know \(id)", id, on: console) }
      var isPublished = false
      for outcome in outcomes {
        switch outcome {
        case .profile(let profile, let installation):
          isPublished = true
          if !isFirst, !console.settings.json { try console.print("") }
          isFirst = false
          try print(profile, installation, newest: lookup.newest, on: console)
        case .unpublished(let key):
          try report(
            "the state of \(output) knows \(key), and nothing of it is "
              + "published; see eventmill inspect --state", id, key: key, on: console)
        }
      }
      if !isPublished { code = .failed }
    }
    try console.flush()
    return code
  }

  /// Reports that nothing of `id` is published: as a note, or as a result in JSON. `key` is its key
  /// in the state, if it has one.
  private func report(
    _ note: String, _ id: String, key: String? = nil, on console: Console
  ) throws(Failure) {
    guard console.settings.json else { return console.note(note) }
    try console.write(
      JSONWriter.document { json in
        json.member("id", id)
        json.member("published", false)
        if let key { json.member("key", key) }
      })
  }

  private func print(
    _ profile: JSONValue, _ installation: String?, newest: Int?, on console: Console
  ) throws(Failure) {
    if console.settings.json { return try console.print(profile.source) }
    let lines = ProfileText.lines(
      of: profile, installation: installation, width: console.resultWidth, newest: newest,
      heading: console.heading)
    for line in lines { try console.print(line) }
  }

  // MARK: - Questions

  private func answer(
    _ question: Question, _ ids: [String], on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    var lookup = try ProfileLookup(output, control: control)
    let questions = PersonQuestions(
      output, logs: options.history + options.logs, mappings: options.run.read.rules.mappings,
      jobs: options.run.read.jobs, control: control)
    var code = ExitCode.done
    var isFirst = true
    // Of the logs, which are the same for all.
    var lost: [Failure] = []
    var unread: [UnreadLog] = []
    for id in ids {
      try control.check()
      let profiles = try lookup.find(id).compactMap(\.published)
      if profiles.isEmpty {
        try report("nothing of \(id) is published in \(output)", id, on: console)
        if question == .why { code = .failed }
      }
      for (profile, installation) in profiles {
        if !isFirst, !console.settings.json { try console.print("") }
        isFirst = false
        switch question {
        case .why:
          let answer = try questions.why(profile, installation: installation, in: &lookup)
          (lost, unread) = (answer.lost, answer.unread)
          try print(answer, on: console)
        case .history:
          let parts: [LoggedPart]
          (parts, lost, unread) = try questions.history(of: profile, id, in: &lookup)
          try print(parts, profile["id"]?.text ?? id, on: console)
        }
      }
      guard profiles.isEmpty, question == .history else { continue }
      let parts: [LoggedPart]
      (parts, lost, unread) = try questions.history(of: nil, id, in: &lookup)
      if parts.isEmpty { code = .failed }
      try print(parts, id, on: console)
    }
    if console.settings.json {
      if question == .history { try print(lost: lost, unread, on: console) }
    } else if let note = UnreadLog.note(on: unread, of: output) {
      console.note(note)
    }
    try console.flush()
    return lost.isEmpty ? code : console.report(lost: lost)
  }

  /// Prints a line for each log that was not read to its end, or that the output was made without,
  /// behind those for parts.
  private func print(
    lost: [Failure], _ unread: [UnreadLog], on console: Console
  ) throws(Failure) {
    for failure in lost {
      try console.write(
        JSONWriter.document { json in
          json.members(["scope": "input", "outcome": "lost"])
          failure.writeLost(to: &json)
        })
    }
    for log in unread {
      try console.write(
        JSONWriter.document { json in
          json.member("scope", "input")
          log.write(to: &json)
        })
    }
  }

  private func print(_ answer: WhyAnswer, on console: Console) throws(Failure) {
    if console.settings.json {
      return try console.write(JSONWriter.document { answer.write(to: &$0) })
    }
    for line in WhyText.lines(of: answer, heading: console.heading) { try console.print(line) }
  }

  private func print(
    _ parts: [LoggedPart], _ id: String, on console: Console
  ) throws(Failure) {
    if console.settings.json {
      for part in parts { try console.write(JSONWriter.document { part.write(to: &$0) }) }
      return
    }
    try console.print(
      console.heading("\(id.visible): \(NumberFormat.count(parts.count, "part"))")
    )
    if parts.isEmpty { return }
    let lines = HistoryText.lines(
      of: parts, width: console.resultWidth, heading: console.heading, bad: console.bad)
    for line in lines { try console.print(line) }
  }

  // MARK: - State

  private func printState(
    of key: String?, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let job = InspectJob(output, control: control)
    var isKnown = true
    do throws(Failure) {
      let write: (ByteView) throws(Failure) -> Void = { line throws(Failure) in
        try console.write(line)
        if console.isOutputClosed { throw Console.unread }
      }
      if let key { isKnown = try job.run(key: key, write) } else { try job.run(write) }
    } catch {
      guard error == Console.unread else { throw error }
    }
    if let key, !isKnown {
      try report("the state of \(output) does not know \(key)", key, on: console)
    }
    return isKnown ? .done : .failed
  }
}

extension ProfileLookup.Outcome {
  /// The profile, and the installation that was requested; nil when nothing is published.
  fileprivate var published: (JSONValue, String?)? {
    guard case .profile(let profile, let installation) = self else { return nil }
    return (profile, installation)
  }
}
