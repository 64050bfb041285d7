import Jobs
import Pipeline

/// Results, from one thread, on standard output; messages, from any, on standard error.
final class Console: @unchecked Sendable {
  // @unchecked because one thread writes results, and `status` is locked.

  private static let bufferSize = 64 << 10

  let settings: ConsoleSettings
  let signals: Signals
  let command: [String]
  /// The command that it names; nil while that is unknown.
  private let named: Command?
  let clock = StopWatch()
  /// Whether standard error is a terminal that supports escape sequences, and may use them.
  let isInteractive: Bool
  /// Columns of the terminal with the results; nil when they go elsewhere.
  let resultWidth: Int?
  let showsResults: Bool
  let colorsResults: Bool
  private let colorsMessages: Bool
  private var results = ByteBuffer(capacity: Console.bufferSize)
  /// Whether the reader of the results has closed them, which is not a failure.
  private(set) var isOutputClosed = false
  /// What ends a command when the reader of its results has closed them; it is not a failure.
  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "its reader has closed it")
  private let status = Locked("")

  /// A console for a program with these arguments, which name the command `named`.
  init(
    _ settings: ConsoleSettings, signals: Signals, arguments: [String] = [],
    named: Command? = nil, variable: (String) -> String?
  ) {
    (self.settings, self.named, self.signals) = (settings, named, signals)
    command = ["eventmill"] + arguments
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
    colorsResults = !settings.json && uses(.output)
    showsResults = Terminal.isTerminal(.output)
    resultWidth = showsResults ? Terminal.width(of: .output) : nil
    colorsMessages = uses(.errors)
  }

  /// Appends to the results. A closed reader is not a failure.
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
  func write(_ buffer: borrowing ByteBuffer) throws(Failure) { try write(buffer.view) }

  func print(_ line: String) throws(Failure) {
    results.append(text: showsResults ? Style.keepingCodes(in: line) : line)
    results.append(UInt8(ascii: "\n"))
    if results.count >= Console.bufferSize { try flush() }
  }

  /// Appends an object, in one line.
  func print(object fields: (inout JSONWriter) -> Void) throws(Failure) {
    try write(JSONWriter.document { fields(&$0) })
  }

  /// Appends the lines of a summary; on a terminal none is longer than that is wide.
  func print(summary lines: [String]) throws(Failure) {
    for line in lines {
      for part in resultWidth.map({ TextFill.lines(ofSummary: line, width: $0) }) ?? [line] {
        try print(part)
      }
    }
  }

  /// Runs what writes results, until their reader has closed them.
  func untilClosed(_ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) { try body() } catch {
      guard error == Console.unread else { throw error }
    }
  }

  /// Ends what ``untilClosed(_:)`` runs, if the reader has closed the results.
  func endIfClosed() throws(Failure) { if isOutputClosed { throw Console.unread } }

  /// Writes the results collected so far; once more at the end.
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

  func note(_ text: String) { if !settings.quiet { say(Message(level: .info, text: text)) } }

  func warn(_ text: String, about failure: Failure? = nil) {
    say(Message(level: .warning, text: text, failure: failure))
  }

  /// Prints a failure that does not end the program, even with `--quiet`.
  func warn(_ failure: Failure) { warn(failure.message(for: named), about: failure) }

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
    case (.warning, .text): "\(style("warning:", .yellow, when: colorsMessages)) \(message.text)"
    case (.error, .text): "\(style("error:", .red, when: colorsMessages)) \(message.text)"
    }
  }

  /// Prints a table, on a terminal no wider than that, with highlights.
  func print(_ table: TextTable) throws(Failure) {
    for line in table.lines(width: resultWidth, heading: heading, bad: bad) { try print(line) }
  }

  func heading(_ text: String) -> String { style(text, .bold, when: colorsResults) }
  func good(_ text: String) -> String { style(text, .green, when: colorsResults) }
  func bad(_ text: String) -> String { style(text, .red, when: colorsResults) }
  func doubtful(_ text: String) -> String { style(text, .yellow, when: colorsResults) }

  private static let clearLine = "\r\u{1B}[K"

  private enum Style: String, CaseIterable {
    case plain = "0"
    case bold = "1"
    case green = "32"
    case red = "1;31"
    case yellow = "1;33"

    var code: String { "\u{1B}[\(rawValue)m" }

    /// Results for a terminal: only these codes and the line ends of CSV control it.
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
  static func writeError(_ text: String) {
    let bytes = ByteBuffer(text: text)
    _ = Terminal.write(bytes.view, to: .errors)
  }
}
