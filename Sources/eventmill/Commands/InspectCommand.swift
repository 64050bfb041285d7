import Jobs
import Pipeline

/// `eventmill inspect`: profiles as people read them, and what the state knows
/// (docs/file-formats.md).
struct InspectCommand: Request {
  /// What is printed.
  private enum Subject {
    /// The profiles of ids.
    case profiles([String])
    /// The state of a key; nil for all keys.
    case state(key: String?)
  }

  private let output: String
  private let subject: Subject

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    output = operands[0]
    let ids = Array(operands.dropFirst())
    guard try values.isOn(.state) else {
      guard !ids.isEmpty else {
        throw RawArguments.usage(
          "inspect needs the id of a person or of an installation",
          "name one behind the directory, or write --state for what the next night goes on from")
      }
      subject = .profiles(ids)
      return
    }
    guard ids.count <= 1 else {
      throw RawArguments.usage(
        "inspect --state takes one key", "leave it out for all keys, or run it for each")
    }
    subject = .state(key: ids.first)
  }

  /// Runs the command and prints profiles, or a line for each key of the state. That the output
  /// does not know an id or a key is a result.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = JobControl()
    console.signals.begin(Signals.Job { control.cancel($0) })
    switch subject {
    case .profiles(let ids): return try printProfiles(of: ids, on: console, control)
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
      if outcomes.isEmpty { console.note("\(output) does not know \(ProfileText.visible(id))") }
      var isPublished = false
      for outcome in outcomes {
        switch outcome {
        case .profile(let profile, let installation):
          isPublished = true
          if !isFirst, !console.settings.json { try console.print("") }
          isFirst = false
          try print(profile, installation, newest: lookup.newest, on: console)
        case .unpublished(let key):
          console.note(
            "the state of \(output) knows \(ProfileText.visible(key)), and nothing of it is "
              + "published; see eventmill inspect --state")
        }
      }
      if !isPublished { code = .failed }
    }
    try console.flush()
    return code
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

  // MARK: - State

  private func printState(
    of key: String?, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let job = InspectJob(output, control: control)
    var isKnown = true
    do throws(Failure) {
      let write: (ByteView) throws(Failure) -> Void = { line throws(Failure) in
        try console.write(line)
        // Nobody reads any more: that is an end, not a failure.
        if console.isOutputClosed { throw Self.unread }
      }
      if let key { isKnown = try job.run(key: key, write) } else { try job.run(write) }
    } catch {
      guard error == Self.unread else { throw error }
    }
    if let key, !isKnown { console.note("the state of \(output) does not know \(key)") }
    return isKnown ? .done : .failed
  }

  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "nobody reads it")
}
