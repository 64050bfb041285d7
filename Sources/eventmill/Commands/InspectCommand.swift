import Jobs
import Pipeline
import Stages

/// `eventmill inspect`: prints profiles for people, and the state (docs/reference/file-formats.md).
struct InspectCommand: Request {
  let options: CommandOptions
  private var output: String { options.operands[0] }
  private var ids: ArraySlice<String> { options.operands.dropFirst() }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    if options.asksWhy || !options.history.isEmpty {
      return try JobRunner.run(on: console) { control throws(Failure) in
        try answer(on: console, control)
      }
    }
    let control = console.beginUnwatched()
    if let condition = options.condition { return try search(condition, on: console, control) }
    return try options.showsState
      ? printState(of: ids.first, on: console, control) : printProfiles(on: console, control)
  }

  private static let usual = 10

  private func search(
    _ condition: ProfileCondition, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let lookup = try ProfileLookup(output, control: control)
    let most = options.top ?? Self.usual
    var (found, isFirst) = (0, true)
    try console.untilClosed { () throws(Failure) in
      try lookup.search(condition) { profile throws(Failure) in
        found += 1
        if found > most { return false }
        try print(profile, nil, newest: lookup.newest, &isFirst, on: console)
        try console.endIfClosed()
        return true
      }
    }
    if found == 0 {
      if console.settings.json {
        try console.print { $0.members(["found": 0]) }
      }
      throw Failure(.io, doing: "looking for a profile in", path: output, why: "none fits --where")
    }
    if found > most { console.note("there are more; --top N shows N") }
    return .done
  }

  /// Reports that nothing of `id`, or of its key in the state, is published, and why. That is a
  /// failure if nothing else is shown of it.
  private func report(
    _ why: String, _ id: String, key: String? = nil, advice: String = "", isFailure: Bool = true,
    _ code: inout ExitCode, on console: Console
  ) throws(Failure) {
    if console.settings.json {
      try console.print { json in
        json.members(["id": id, "published": false])
        if let key { json.member("key", key) }
      }
    }
    let failure = Failure(
      .io, doing: "looking for \(id) in", path: output, why: why, advice: advice)
    if isFailure {
      code = .failed
      try console.flush()
      console.fail(failure, code)
    } else if !console.settings.json {
      console.note(failure.message(for: .inspect))
    }
  }

  /// Prints a blank line before every answer but the first.
  private func separate(_ isFirst: inout Bool, on console: Console) throws(Failure) {
    if !isFirst, !console.settings.json { try console.print("") }
    isFirst = false
  }

  private func printProfiles(
    on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let lookup = try ProfileLookup(output, control: control)
    var (code, isFirst) = (ExitCode.done, true)
    for id in ids {
      try control.check()
      let found = try lookup.find(id)
      if let found, let profile = found.profile {
        try print(profile, found.installation, newest: lookup.newest, &isFirst, on: console)
      } else if let key = found?.key {
        try report(
          "the state has \(key), and nothing of it is published", id, key: key,
          advice: "see eventmill inspect --state", &code, on: console)
      } else {
        try report("there is nothing of it", id, &code, on: console)
      }
    }
    return code
  }

  private func print(
    _ profile: JSONValue, _ installation: String?, newest: Int?, _ isFirst: inout Bool,
    on console: Console
  ) throws(Failure) {
    try separate(&isFirst, on: console)
    if console.settings.json { return try console.print(profile.source) }
    let text = InspectText(width: console.resultWidth, newest: newest, heading: console.heading)
    for line in text.lines(of: profile, installation: installation) { try console.print(line) }
  }

  private func answer(on console: Console, _ control: JobControl) throws(Failure) -> ExitCode {
    let lookup = try ProfileLookup(output, control: control)
    let questions = PersonQuestions(
      lookup, logs: options.history + options.logs, mappings: options.run.read.rules.mappings,
      jobs: options.run.read.jobs)
    var (code, isFirst) = (ExitCode.done, true)
    // Of the logs, which are the same for all.
    var lost: [Failure] = []
    var unread: [UnreadLog] = []
    for id in ids {
      try control.check()
      let found = try lookup.find(id)
      let unpublished = "nothing of it is published"
      if options.asksWhy {
        guard let found, let profile = found.profile else {
          try report(unpublished, id, &code, on: console)
          continue
        }
        try separate(&isFirst, on: console)
        let answer = try questions.why(profile, installation: found.installation)
        (lost, unread) = (answer.lost, answer.unread)
        if console.settings.json {
          try console.print { answer.write(to: &$0) }
        } else {
          for line in WhyText(heading: console.heading).lines(of: answer) {
            try console.print(line)
          }
        }
        continue
      }
      let profile = found?.profile
      if profile != nil { try separate(&isFirst, on: console) }
      let parts: [LoggedPart]
      (parts, lost, unread) = try questions.history(of: profile, id)
      if profile == nil {
        let isFailure = parts.isEmpty && lost.isEmpty
        try report(unpublished, id, isFailure: isFailure, &code, on: console)
      }
      try print(parts, profile?["id"]?.text ?? id, on: console)
    }
    if !console.settings.json {
      if let note = UnreadLog.note(on: unread, of: output) { console.note(note) }
    } else if !options.asksWhy {
      // Logs that were not read to their end, or that the output was made without.
      let inputs = JSONWriter.lines(of: lost) { failure, json in
        json.members(["scope": "input", "outcome": "lost"])
        failure.writeLost(to: &json)
      }
      try console.write(inputs)
      let others = JSONWriter.lines(of: unread) { log, json in
        json.member("scope", "input")
        log.write(to: &json)
      }
      try console.write(others)
    }
    try console.flush()
    return lost.isEmpty ? code : console.report(lost: lost)
  }

  private func print(_ parts: [LoggedPart], _ id: String, on console: Console) throws(Failure) {
    if console.settings.json {
      for part in parts { try console.print { part.write(to: &$0) } }
      return
    }
    try console.print(console.heading("\(id.visible): \(NumberFormat.count(parts.count, "part"))"))
    if parts.isEmpty { return }
    let lines = HistoryText.lines(
      of: parts, width: console.resultWidth, heading: console.heading, bad: console.bad)
    for line in lines { try console.print(line) }
  }

  private func printState(
    of key: String?, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    if let key, ByteView.with(key, KeySection.init(of:)) == nil {
      throw Failure(
        .usage, doing: "inspecting", path: output, why: "\"\(key)\" is not a key of a state",
        advice: "write custom:ID, install:ID or anonymous:DIGITS")
    }
    let lookup = try ProfileLookup(output, withKnownNames: true, control: control)
    let write: (ByteView) throws(Failure) -> Void = { line throws(Failure) in
      try console.write(line)
      try console.endIfClosed()
    }
    var (isKnown, code) = (true, ExitCode.done)
    try console.untilClosed { () throws(Failure) in
      if let key {
        isKnown = try lookup.state(of: key, write)
      } else {
        try lookup.forEachState(write)
      }
    }
    if let key, !isKnown {
      try report("the state does not have it", key, &code, on: console)
    }
    return code
  }
}
