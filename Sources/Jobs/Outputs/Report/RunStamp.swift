package import Pipeline

/// When, where and how a job ran: for its report and its summary. No other output depends on it.
package struct RunStamp: WrittenValue, Sendable {
  /// The program that ran.
  let tool: ToolVersion
  /// When the job began, in seconds since 1970.
  package let started: Int
  /// When its report was written, right before it was published, in seconds since 1970.
  package private(set) var ended: Int
  /// Wall-clock seconds of the job up to then.
  private(set) var seconds = 0.0
  /// The name of the machine; nil when it has none.
  package let host: String?
  /// The command line, program name first; cut when it is very long.
  package let command: [String]
  /// Number of omitted words of the command line.
  package let omittedWords: Int
  /// The name of the output directory.
  package let night: String

  /// Most words and bytes of a command line that are kept.
  private static let (mostWords, mostBytes) = (1000, 1 << 15)

  /// The stamp of a job that publishes `output`, and has not ended.
  init(tool: ToolVersion, started: Int, command: [String], output: String) {
    (self.tool, self.started) = (tool, started)
    ended = started
    host = System.hostName
    var bytes = 0
    let kept = command.prefix(Self.mostWords).prefix { word in
      bytes += word.utf8.count
      return bytes <= Self.mostBytes
    }
    self.command = Array(kept)
    omittedWords = command.count - kept.count
    night = Self.name(of: output)
  }

  /// Called when everything else is written and flushed, and the reports follow.
  mutating func end(_ clock: StopWatch) {
    (ended, seconds) = (max(started, System.secondsSince1970), clock.seconds)
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("night", night)
      json.member("started", Self.text(started))
      json.member("ended", Self.text(ended))
      if let host { json.member("host", host) }
      json.array("command", of: command)
      if omittedWords > 0 { json.member("command_words_omitted", omittedWords) }
    }
  }

  /// `2024-06-02T03:00:12Z to 03:04:05Z on host`; both dates when they differ.
  package var text: String {
    let (from, to) = (Self.text(started), Self.text(ended))
    let isSameDay = from.prefix(10) == to.prefix(10)
    return "\(from) to \(isSameDay ? String(to.dropFirst(11)) : to)"
      + (host.map { " on \($0)" } ?? "")
  }

  /// The command line in shell syntax.
  package var commandText: String {
    let words = command.map { word in
      word.utf8.allSatisfy(Self.isPlain) && !word.isEmpty
        ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
    return words.joined(separator: " ") + (omittedWords > 0 ? " … \(omittedWords) more" : "")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: ":"),
      UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "%"), UInt8(ascii: "@"):
      true
    default: false
    }
  }

  /// `2024-06-02T03:00:12Z`
  private static func text(_ seconds: Int) -> String {
    let years = Timestamp.years
    let time = Timestamp.text(min(max(seconds * 1000, years.lowerBound), years.upperBound))
    return "\(time.prefix(19))Z"
  }
}
