import Jobs
import Pipeline

/// `eventmill generate`: makes synthetic logs.
struct GenerateCommand: Request {
  let options: GenerateOptions

  init(options: CommandOptions) throws(Failure) {
    self.options = try GenerateOptions(options)
  }

  /// Bytes of lines written at a time.
  private static let chunk = 256 << 10
  /// Lines between two checks for a signal.
  private static let patience = 4096

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let stop = StopRequest()
    console.begin(Signals.Job { stop.ask($0) })
    if let path = options.output {
      try Self.writeFiles(options, to: path, stop, console)
    } else {
      try Self.writeLines(options, stop, console)
    }
    return .done
  }

  private static func writeLines(
    _ options: GenerateOptions, _ stop: StopRequest, _ console: Console
  ) throws(Failure) {
    let generator = LogGenerator(options)
    var text = ByteBuffer(capacity: chunk * 2)
    for line in 0..<options.lines {
      generator.append(line, to: &text)
      guard text.count >= chunk else { continue }
      try stop.check()
      try console.write(text.view)
      text.removeAll()
      if console.isOutputClosed { return }
    }
    try console.write(text.view)
  }

  private static func writeFiles(
    _ options: GenerateOptions, to path: String, _ stop: StopRequest, _ console: Console
  ) throws(Failure) {
    let staging = try StagedDirectory(
      path, existing: options.replace ? .replace : .refuse, owner: .generated)
    let generator = LogGenerator(options)
    try writeNights(of: generator, in: staging, stop)
    var note = ByteBuffer()
    let files = staging.folder.files
    note.append(text: "\(GeneratedLogs.opening)\(options.line)\n\(GeneratedLogs.list)")
    for file in files { note.append(text: "\(file)\n") }
    try staging.folder.write(note.view, to: GeneratedLogs.mark, lines: files.count + 3)
    try stop.check()
    if let failure = try staging.publish() { console.warn(failure) }
    console.note(
      "\(NumberFormat.count(options.lines, "line")) in "
        + "\(NumberFormat.count(options.nights, "night")), written to \(path)")
  }

  private static func writeNights(
    of generator: LogGenerator, in staging: StagedDirectory, _ stop: StopRequest
  ) throws(Failure) {
    let options = generator.options
    for night in 0..<options.nights {
      let files = try NightFiles("night-\(night + 1)", in: staging, options)
      if night > 0 {
        try files.appendLate(options.lines(ofNight: night - 1), of: generator)
      }
      for line in options.lines(ofNight: night) {
        if line.isMultiple(of: patience) { try stop.check() }
        try files.append(line, of: generator)
      }
      try files.finish()
    }
  }
}

/// A request to stop the work.
private final class StopRequest: Sendable {
  private let reason = Locked<Failure?>(nil)

  /// Sets the request. Any thread.
  func ask(_ failure: Failure) { reason.withLock { $0 = failure } }

  /// - Throws: the reason to stop, if requested.
  func check() throws(Failure) {
    if let failure = reason.withLock({ $0 }) { throw failure }
  }
}

extension GenerateOptions {
  /// The command line that makes the same lines.
  fileprivate var line: String {
    let date = String(Timestamp.text(start).prefix(10))
    var words = ["eventmill generate --lines \(lines) --users \(users) --seed \(seed)"]
    words.append("--nights \(nights) --format \(format.rawValue) --start \(date)")
    if faultsPerMillion > 0 { words.append("--bad \(Double(faultsPerMillion) / 10_000)%") }
    return words.joined(separator: " ")
  }
}
