import Jobs
import Pipeline
import Stages

/// `eventmill inspect`: prints profiles for people, and the state (docs/reference/file-formats.md).
struct InspectCommand: Request {
  /// What is printed.
  private enum Subject {
    /// The profiles of ids, or the reasons for their values, or their history.
    case profiles([String], Question?)
    /// The state of a key; nil for all keys.
    case state(key: String?)
  }

  /// The question about a profile.
  private enum Question { case why, history }

  private let output: String
  private let subject: Subject
  /// The logs read for a question, and the number of lanes.
  private let logs: [String]
  private let jobs: Int
  private let mappings: Mappings
  var inputs: [String] { logs }

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    output = operands[0]
    let ids = Array(operands.dropFirst())
    let history = try values.list(.history)
    let asksWhy = try values.isOn(.why)
    logs = try history + values.list(.logs)
    jobs = try values.jobs()
    mappings = try values.mappings(.mapping) ?? Mappings()
    let isOne = [asksWhy, !history.isEmpty, try values.isOn(.state)].count { $0 } <= 1
    guard isOne, logs.isEmpty || asksWhy || !history.isEmpty else {
      throw RawArguments.usage(
        isOne ? "--logs are read for --why only" : "inspect answers one question at a time",
        "write --why, --history or --state, the first with --logs where there are any")
    }
    guard try values.isOn(.state) else {
      guard !ids.isEmpty else {
        throw RawArguments.usage(
          "inspect needs the id of a person or of an installation",
          "name one after the directory, or write --state for the state that the next night continues"
        )
      }
      subject = .profiles(ids, asksWhy ? .why : history.isEmpty ? nil : .history)
      return
    }
    guard ids.count <= 1 else {
      throw RawArguments.usage(
        "inspect --state takes one key", "leave it out for all keys, or run it for each")
    }
    subject = .state(key: ids.first)
  }

  /// Runs the command and prints profiles, or a line for each key of the state. An unknown id or
  /// key is a result.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = JobControl()
    console.begin(Signals.Job { control.cancel($0) })
    switch subject {
    case .profiles(let ids, nil): return try printProfiles(of: ids, on: console, control)
    case .profiles(let ids, let question?):
      return try JobRunner.run(on: console) { control throws(Failure) in
        try answer(question, ids, on: console, control)
      }
    case .state(let key): return try printState(of: key, on: console, control)
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
      output, logs: logs, mappings: mappings, jobs: jobs, control: control)
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
    return lost.isEmpty ? code : JobRunner.report(lost: lost, on: console)
  }

  /// Prints a line for each log that was not read to its end, or that the output was made without,
  /// behind those for parts.
  private func print(
    lost: [Failure], _ unread: [UnreadLog], on console: Console
  ) throws(Failure) {
    for failure in lost {
      let line = JSONWriter.document { json in
        json.member("scope", "input")
        json.member("outcome", "lost")
        failure.writeLost(to: &json)
      }
      try console.write(line)
    }
    for log in unread {
      let line = JSONWriter.document { json in
        json.member("scope", "input")
        log.write(to: &json)
      }
      try console.write(line)
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
        // A closed reader ends the output; it is not a failure.
        if console.isOutputClosed { throw Self.unread }
      }
      if let key { isKnown = try job.run(key: key, write) } else { try job.run(write) }
    } catch {
      guard error == Self.unread else { throw error }
    }
    if let key, !isKnown {
      try report("the state of \(output) does not know \(key)", key, on: console)
    }
    return isKnown ? .done : .failed
  }

  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "its reader has ended")
}

extension ProfileLookup.Outcome {
  /// The profile, and the installation that was requested; nil when nothing is published.
  fileprivate var published: (JSONValue, String?)? {
    guard case .profile(let profile, let installation) = self else { return nil }
    return (profile, installation)
  }
}
