package import Pipeline

/// When, where and how a job ran: for its report and its summary. No other output depends on it.
package struct RunStamp: WrittenObject, Sendable {
  let tool: ToolVersion
  /// In seconds since 1970, as the next one.
  package let started: Int
  /// When its report was written, right before it was published.
  package private(set) var ended: Int
  /// Wall-clock seconds of the job up to then.
  private(set) var seconds = 0.0
  package let host: String?
  /// Program name first; cut when it is very long.
  package let command: [String]
  package let omittedWords: Int
  package let night: String

  private static let (mostWords, mostBytes) = (1000, 1 << 15)

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

  package static let fields: [Field<RunStamp>] = [
    .written("night") { $0.night }, .written("started") { RunStamp.text($0.started) },
    .written("ended") { RunStamp.text($0.ended) }, .written("host") { $0.host },
    .written("command") { $0.command },
    .written("command_words_omitted") { $0.omittedWords > 0 ? $0.omittedWords : nil },
  ]

  /// `2024-06-02T03:00:12Z to 03:04:05Z on host`; both dates when they differ.
  package var text: String {
    let (from, to) = (Self.text(started), Self.text(ended))
    let isSameDay = from.prefix(10) == to.prefix(10)
    return "\(from) to \(isSameDay ? String(to.dropFirst(11)) : to)"
      + (host.map { " on \($0)" } ?? "")
  }

  /// The command line in shell syntax.
  package var commandText: String {
    command.map(\.shellWord).joined(separator: " ")
      + (omittedWords > 0 ? " … \(omittedWords) more" : "")
  }

  /// `2024-06-02T03:00:12Z`
  private static func text(_ seconds: Int) -> String {
    let years = Timestamp.years
    let time = Timestamp.text(min(max(seconds * 1000, years.lowerBound), years.upperBound))
    return "\(time.prefix(19))Z"
  }
}

/// The program that made an output.
package struct ToolVersion: Document, Equatable, Sendable {
  /// As in `0.1.0`.
  package private(set) var version = ""
  /// Or `unknown`; empty in documents that have the same bytes for every build of a version.
  package private(set) var commit = ""
  package private(set) var zstd = ""

  package static let fields: [Field<ToolVersion>] = [
    .value("version", \.version), .value("commit", \.commit, unless: ""), .value("zstd", \.zstd),
  ]

  /// A program that is not released, as in tests.
  package static let unversioned = ToolVersion(version: "0.0.0", commit: "", zstd: "")

  package init() {}

  package init(version: String, commit: String, zstd: String) {
    self.version = version
    self.commit = commit
    self.zstd = zstd
  }

  /// The same for every build.
  var versions: ToolVersion { ToolVersion(version: version, commit: "", zstd: zstd) }
}
