import Jobs
import Pipeline

/// A message on standard error: a sentence, and its context.
struct Message {
  enum Level: String { case info, warning, error }

  let level: Level
  let text: String
  var failure: Failure?
  var code: ExitCode?

  /// A message with these words, which may name files, arguments and values of others.
  init(level: Level, text: String, failure: Failure? = nil, code: ExitCode? = nil) {
    self.level = level
    self.text = text.visible
    self.failure = failure
    self.code = code
  }

  /// The form of `--log-format json`. Without a time: log collectors add one.
  var logJSON: String {
    json { json in
      json.members(["level": level.rawValue, "message": text])
      if let failure { json.member("kind", failure.kind.rawValue) }
      writeLocation(to: &json)
    }
  }

  /// The form that goes with results in JSON (`--json`): an object called `error` or `warning`.
  var resultJSON: String {
    json { json in
      json.object(level.rawValue) { json in
        if level == .error, let failure { json.member("kind", failure.kind.rawValue) }
        json.member("message", text)
        if level == .error { writeLocation(to: &json) }
      }
    }
  }

  private func json(_ fields: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object(fields)
    return json.bytes.text.visibleJSON
  }

  private func writeLocation(to json: inout JSONWriter) {
    if let path = failure?.path { json.member("path", path) }
    if let line = failure?.line { json.member("line", line) }
    if let offset = failure?.offset { json.member("offset", offset) }
    if let frame = failure?.frame { json.member("frame", frame) }
    if let code { json.member("exit_code", Int(code.rawValue)) }
    if code != nil, let failure { json.member("retry", failure.mayPass) }
  }
}
