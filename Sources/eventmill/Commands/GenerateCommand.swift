import Jobs
import Pipeline

/// `eventmill generate`: makes synthetic logs.
struct GenerateCommand: Request {
  let options: GenerateOptions

  init(options: CommandOptions) throws(Failure) { self.options = try GenerateOptions(options) }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = console.beginUnwatched()
    let generator = LogGenerator(options)
    if let path = options.output {
      try writeFiles(of: generator, to: path, control, console)
    } else {
      try console.untilClosed { () throws(Failure) in
        try generator.forEach(of: 0..<options.lines, control) { _, line throws(Failure) in
          try console.write(line)
          try console.endIfClosed()
        }
      }
    }
    return .done
  }

  private func writeFiles(
    of generator: LogGenerator, to path: String, _ control: JobControl, _ console: Console
  ) throws(Failure) {
    let staging = try StagedDirectory(path, replaces: options.replace, owner: .generated)
    for night in 0..<options.nights {
      let files = try NightFiles("night-\(night + 1)", in: staging, options)
      if night > 0 {
        let late = options.lines(ofNight: night - 1).lazy.filter(files.isLate)
        try generator.forEach(of: late, control) { _, line throws(Failure) in
          try files.appendLate(line)
        }
      }
      try generator.forEach(of: options.lines(ofNight: night), control, files.append)
      try files.finish()
    }
    var note = ByteBuffer()
    let files = staging.folder.files
    note.append(text: "\(GeneratedLogs.opening)\(options.line)\n\(GeneratedLogs.list)")
    for file in files { note.append(text: "\(file)\n") }
    try staging.folder.write(note.view, to: GeneratedLogs.mark, lines: files.count + 3)
    try control.check()
    if let failure = try staging.publish() { console.warn(failure) }
    console.note(
      "\(NumberFormat.count(options.lines, "line")) in "
        + "\(NumberFormat.count(options.nights, "night")), written to \(path)")
  }
}

extension GenerateOptions {
  fileprivate var line: String {
    let date = String(Timestamp.text(start).prefix(10))
    var words = ["eventmill generate --lines \(lines) --users \(users) --seed \(seed)"]
    words.append("--nights \(nights) --dialect \(format.rawValue) --start \(date)")
    if faultsPerMillion > 0 { words.append("--bad \(Double(faultsPerMillion) / 10_000)%") }
    return words.joined(separator: " ")
  }
}
