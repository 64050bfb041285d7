import Jobs
import Pipeline

/// The settings of the program's messages and results.
struct ConsoleSettings: Equatable, Sendable {
  /// Whether messages other than errors are suppressed.
  var quiet = false
  /// Whether results and errors are JSON.
  var json = false
  var progress = true
  /// Whether the program ends when its parent does.
  var endsWithParent = false
  var color = ColorChoice.auto
  var logFormat = LogFormat.text
}

/// When colours are used (`--color`).
enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  case auto
  case always
  case never
}

/// Results on standard output, messages on standard error.
///
/// Results from one thread; messages and the status line from any.
final class Console: @unchecked Sendable {
  // @unchecked because one thread writes results, and `status` is locked.

  /// Size of the buffer for results.
  private static let bufferSize = 64 << 10

  let settings: ConsoleSettings
  let signals: Signals
  /// The command line, program name first.
  let command: [String]
  /// The command that it names; nil while that is unknown.
  private let named: Command?
  /// Since the command was read.
  let clock = StopWatch()
  /// Whether standard error is a terminal that supports escape sequences, and may use them.
  let isInteractive: Bool
  /// Columns of the terminal with the results; nil when they go elsewhere.
  let resultWidth: Int?
  /// Whether results go to a terminal.
  let showsResults: Bool
  /// Whether results may have colours.
  let colorsResults: Bool
  private let colorsMessages: Bool
  private var results = ByteBuffer(capacity: Console.bufferSize)
  /// Whether the reader of the results has closed them: producing more has no use, and is not a
  /// failure.
  private(set) var isOutputClosed = false
  /// What ends a command when the reader of its results has closed them; it is not a failure.
  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "its reader has closed it")
  /// The progress on the last line of the terminal.
  private let status = Locked("")

  /// A console for a program with these arguments, which name the command `named`; `variable` looks
  /// up the environment.
  init(
    _ settings: ConsoleSettings, signals: Signals, arguments: [String] = [],
    named: Command? = nil, variable: (String) -> String?
  ) {
    self.settings = settings
    self.named = named
    command = ["eventmill"] + arguments
    self.signals = signals
    let isDumb = variable("TERM") == "dumb"
    // If every line is an object, there is no room for a bar.
    isInteractive = Terminal.isTerminal(.errors) && !isDumb && settings.logFormat == .text
    // Any value that is not empty counts (no-color.org).
    let isPlain = isDumb || !(variable("NO_COLOR") ?? "").isEmpty
    func uses(_ stream: Terminal.Stream) -> Bool {
      switch settings.color {
      case .always: true
      case .never: false
      case .auto: !isPlain && Terminal.isTerminal(stream)
      }
    }
    colorsResults = uses(.output)
    showsResults = Terminal.isTerminal(.output)
    resultWidth = showsResults ? Terminal.width(of: .output) : nil
    colorsMessages = uses(.errors)
  }

  /// Appends to the results.
  /// - Throws: `io`, when they cannot be written. A closed reader is not a failure.
  func write(_ bytes: ByteView) throws(Failure) {
    if showsResults {
      results.append(text: Style.keepingCodes(in: bytes.text))
    } else {
      results.append(bytes)
    }
    if results.count >= Console.bufferSize { try flush() }
  }

  /// Appends the bytes of a buffer to the results. Takes the buffer rather than a view of it, so
  /// that a temporary one lives until its bytes are copied.
  /// - Throws: as ``write(_:)-(ByteView)``.
  func write(_ buffer: borrowing ByteBuffer) throws(Failure) { try write(buffer.view) }

  /// Appends a line to the results.
  /// - Throws: as ``write(_:)``.
  func print(_ line: String) throws(Failure) {
    results.append(text: showsResults ? Style.keepingCodes(in: line) : line)
    results.append(UInt8(ascii: "\n"))
    if results.count >= Console.bufferSize { try flush() }
  }

  /// Appends the lines of a summary; on a terminal none is longer than that is wide.
  /// - Throws: as ``write(_:)``.
  func print(summary lines: [String]) throws(Failure) {
    for line in lines {
      for part in resultWidth.map({ TextFill.lines(ofSummary: line, width: $0) }) ?? [line] {
        try print(part)
      }
    }
  }

  /// Runs what writes results, until their reader has closed them.
  /// - Throws: what `body` throws, otherwise.
  func untilClosed(_ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) { try body() } catch {
      guard error == Console.unread else { throw error }
    }
  }

  /// Ends what ``untilClosed(_:)`` runs, if the reader has closed the results.
  func endIfClosed() throws(Failure) { if isOutputClosed { throw Console.unread } }

  /// Writes the results collected so far; once more at the end.
  /// - Throws: as ``write(_:)``.
  func flush() throws(Failure) {
    defer { results.removeAll() }
    guard !isOutputClosed else { return }
    switch Terminal.write(results.view, to: .output) {
    case .written: return
    case .closed: isOutputClosed = true
    case .failed(let error):
      isOutputClosed = true
      throw Failure(
        .io, doing: "writing to", path: "standard output", why: error.words,
        advice: "the results are not complete; fix the cause and run again",
        mayPass: error.mayPass(.writing))
    }
  }

  /// Prints a notice, unless `--quiet`.
  func note(_ text: String) {
    if !settings.quiet { say(Message(level: .info, text: text)) }
  }

  /// Prints a warning, even with `--quiet`.
  func warn(_ text: String, about failure: Failure? = nil) {
    say(Message(level: .warning, text: text, failure: failure))
  }

  /// Prints a failure that does not end the program, even with `--quiet`.
  func warn(_ failure: Failure) { warn(failure.message(for: named), about: failure) }

  /// Prints why the program fails.
  func fail(_ failure: Failure, _ code: ExitCode) { say(failureMessage(failure, code)) }

  /// Marks `job` as begun: signals end it.
  func begin(_ job: Signals.Job) { signals.begin(job) { self.words(for: $0, $1) } }

  /// The line that ``fail(_:_:)`` writes.
  func words(for failure: Failure, _ code: ExitCode) -> String {
    words(of: failureMessage(failure, code)) + "\n"
  }

  private func failureMessage(_ failure: Failure, _ code: ExitCode) -> Message {
    Message(level: .error, text: failure.message(for: named), failure: failure, code: code)
  }

  private func say(_ message: Message) { say(words(of: message)) }

  private func words(of message: Message) -> String {
    switch (message.level, settings.logFormat) {
    case (.warning, _) where settings.json, (.error, _) where settings.json:
      // In the form for scripts; `--log-format` does not change what `--json` promises.
      message.resultJSON
    case (_, .json): message.logJSON
    case (.info, .text): message.text
    case (.warning, .text):
      "\(style("warning:", .yellow, when: colorsMessages)) \(message.text)"
    case (.error, .text): "\(style("error:", .red, when: colorsMessages)) \(message.text)"
    }
  }

  /// Prints a table: its titles and bad values are highlighted where colours are used, and on a
  /// terminal no line is wider than that.
  /// - Throws: as ``write(_:)``.
  func print(_ table: TextTable) throws(Failure) {
    for line in table.lines(width: resultWidth, heading: heading, bad: bad) { try print(line) }
  }

  /// Highlights a heading of a result, where colours are used.
  func heading(_ text: String) -> String { style(text, .bold, when: colorsResults) }

  /// Highlights something good in a result, where colours are used.
  func good(_ text: String) -> String { style(text, .green, when: colorsResults) }

  /// Highlights something bad in a result, where colours are used.
  func bad(_ text: String) -> String { style(text, .red, when: colorsResults) }

  /// Highlights something to check in a result, where colours are used.
  func doubtful(_ text: String) -> String { style(text, .yellow, when: colorsResults) }

  // MARK: Standard error

  private static let clearLine = "\r\u{1B}[K"

  private enum Style: String, CaseIterable {
    case plain = "0"
    case bold = "1"
    case green = "32"
    case red = "1;31"
    case yellow = "1;33"

    var code: String { "\u{1B}[\(rawValue)m" }

    /// Results for a terminal: of the characters that control it, only these codes stay, and the
    /// line ends of CSV.
    static func keepingCodes(in text: String) -> String {
      if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 || $0 == 0x0A }) { return text }
      let codes = (allCases.map(\.code) + ["\r\n"]).map(\.unicodeScalars)
      var (shown, start) = ("", text.unicodeScalars.startIndex)
      while start < text.endIndex {
        let rest = text.unicodeScalars[start...]
        let code = codes.first { rest.starts(with: $0) }
        let end = rest.index(start, offsetBy: code?.count ?? 1)
        let piece = String(rest[start..<end])
        shown += code == nil ? piece.visibleJSON : piece
        start = end
      }
      return shown
    }
  }

  private func style(_ text: String, _ style: Style, when isColored: Bool) -> String {
    isColored ? "\(style.code)\(text)\(Style.plain.code)" : text
  }

  /// Replaces the status line by `text`, permanently.
  func showStatus(_ text: String) {
    status.withLock { status in
      status = text
      Console.writeError(Console.clearLine + text)
    }
  }

  func clearStatus() { showStatus("") }

  private func say(_ line: String) {
    status.withLock { status in
      // The status line is cleared, and shown again below.
      let clear = status.isEmpty ? "" : Console.clearLine
      Console.writeError(clear + line + "\n" + status)
    }
  }

  /// A closed reader of messages is not a reason to stop.
  private static func writeError(_ text: String) {
    let bytes = ByteBuffer(text: text)
    _ = Terminal.write(bytes.view, to: .errors)
  }
}
