package import Pipeline
package import Stages

/// By what rejects are counted.
package enum RejectGrouping: String, CaseIterable, Sendable {
  /// The version is that of the app, where the line has one of the usual fields for it.
  case file, reason, dialect, version
}

/// A reject entry, as it was written, and what people read of it.
package struct ListedReject {
  package typealias Reason = (code: String, path: String, message: String)

  package let entry: ByteView
  package let source: String
  package let line: Int
  package let reasons: [Reason]
  /// The text of the rejected line; nil where that is not valid UTF-8 or was left out.
  package let raw: ByteView?
  /// Whether the text is not the whole line.
  package let isTruncated: Bool
}

/// The rejects of an output, from counts to lines (`eventmill rejects`).
package struct RejectsJob {
  package struct Outcome: Sendable {
    /// Entries of the file, and those of the reason.
    package var entries = 0
    package var selected = 0
    /// Entries by group, the most frequent first.
    package var groups: [NamedCount] = []

    package init() {}
  }

  private static let doing = "reading the rejects"
  /// Fields in which logs have the version of their app.
  private static let versionPaths: [[ByteView]] = [
    ["app_version"], ["appVersion"], ["app", "version"], ["context", "app", "version"],
    ["properties", "app_version"], ["properties", "$app_version"], ["native", "app_version"],
    ["attributes", "app_version"],
  ]

  private let path: String
  private let reason: ReasonCode?
  private let grouping: RejectGrouping
  private let control: JobControl

  /// Selects entries with `reason`, if there is one, of the output or the file `path`.
  package init(
    _ path: String, reason: ReasonCode?, by grouping: RejectGrouping, control: JobControl
  ) { (self.path, self.reason, self.grouping, self.control) = (path, reason, grouping, control) }

  /// Calls `list` with each selected entry, in order; its views are valid during the call. Memory:
  /// one frame, and a count per group.
  /// - Throws: `usage`, when there are no rejects; `corrupt`, `io`.
  package func run(
    _ list: (ListedReject) throws(Failure) -> Void = { _ in }
  ) throws(Failure) -> Outcome {
    let (system, doing) = (control.system, Self.doing)
    let file = try FrameFile(
      system.rejects(at: path, doing: doing), doing: doing, system: system)
    let tape = Tape(numbersNames: false)
    var outcome = Outcome()
    // By their bytes: texts that look alike can differ.
    var counts: [[UInt8]: Int] = [:]
    try control.forEachLine(of: file) { text, line, frame throws(Failure) in
      tape.bind(to: text)
      guard UTF8Check.isValid(text[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape),
        let entry = try? RejectEntry(root, of: tape)
      else { throw file.file.damaged("a line is not a reject entry", frame: frame) }
      outcome.entries += 1
      if let reason, !entry.has(reason, in: tape) { return }
      let reasons = Self.reasons(of: entry, tape)
      outcome.selected += 1
      let raw = entry.isBase64 ? nil : tape.bytes(at: entry.raw)
      for group in groups(of: root, entry, reasons, raw, tape) {
        counts[Array(group.utf8), default: 0] += 1
      }
      try list(
        ListedReject(
          entry: text[line], source: tape.bytes(at: entry.source).text, line: entry.line,
          reasons: reasons, raw: raw.flatMap { $0.isEmpty ? nil : $0 },
          isTruncated: entry.isTruncated))
    }
    outcome.groups = counts.map { NamedCount(String(decoding: $0.key, as: UTF8.self), $0.value) }
      .sorted(byBytesOf: \.name).mostFrequentFirst(by: \.count)
    return outcome
  }

  private static func reasons(of entry: RejectEntry, _ tape: Tape) -> [ListedReject.Reason] {
    func text(_ name: ByteView, _ object: Int) -> String {
      tape.string(at: tape.member(name, of: object))?.text ?? ""
    }
    return entry.reasons.map { (text("code", $0), text("path", $0), text("message", $0)) }
  }

  /// The groups of an entry: one, or one for each code.
  private func groups(
    of root: Int, _ entry: RejectEntry, _ reasons: [ListedReject.Reason], _ raw: ByteView?,
    _ tape: Tape
  ) -> Set<String> {
    switch grouping {
    case .file: [tape.bytes(at: entry.source).text]
    case .reason: Set(reasons.map(\.code))
    case .dialect: [tape.string(at: tape.member("dialect", of: root))?.text ?? "unknown"]
    case .version: [raw.flatMap(Self.version) ?? "unknown"]
    }
  }

  private static func version(_ raw: ByteView) -> String? {
    // A scanner needs the end of the line.
    var line = ByteBuffer(capacity: raw.count + 1)
    line.append(raw)
    line.append(JSONByte.lineFeed)
    let tape = Tape(numbersNames: false)
    tape.bind(to: line.view)
    guard case .value(let root) = Scanner.scan(line: 0..<raw.count, into: tape) else { return nil }
    for path in versionPaths {
      var found: Int? = root
      for name in path {
        found = found.flatMap { tape[$0].kind == .object ? tape.member(name, of: $0) : nil }
      }
      if let found, [.string, .integer, .double].contains(tape[found].kind) {
        return tape.bytes(at: found).text
      }
    }
    return nil
  }
}
