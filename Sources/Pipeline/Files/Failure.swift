/// Why a job stopped, with the message for the user.
///
/// Every failure states what was being done, to which file (frame, line, offset), why it failed and
/// what to do next. Bad *data* is not a failure: it goes to the rejects.
package struct Failure: Error, Sendable, Equatable {
  /// The kind of failure; the command line maps it to an exit code.
  package enum Kind: String, DocumentWord, Sendable, Equatable {
    /// Wrong options or arguments (exit code 2).
    case usage
    /// A file could not be read or written, a disk is full (exit code 1).
    case io
    /// An input exceeds a limit (exit code 1).
    case limit
    /// An input is damaged or truncated (exit code 4).
    case corrupt
    /// Another run holds the output (exit code 5).
    case locked
    /// `--max-rejects` was exceeded (exit code 3).
    case rejects
    /// The ledger does not balance, or another invariant is broken: a bug (exit code 1).
    case defect
    /// A signal ended the run (exit code 130 or 143).
    case interrupted

    /// Whether every failure of this kind may pass.
    fileprivate var mayPass: Bool {
      switch self {
      case .locked, .interrupted: true
      case .io, .usage, .limit, .corrupt, .rejects, .defect: false
      }
    }
  }

  package private(set) var kind: Kind
  /// What was being done, as in "reading the input".
  package private(set) var doing: String
  /// The file concerned.
  package private(set) var path: String?
  /// Number of the compressed frame, 0-based.
  package private(set) var frame: Int?
  /// Line number, 1-based.
  package private(set) var line: Int?
  /// Byte offset in the decompressed file.
  package internal(set) var offset: Int?
  /// Why it failed.
  package private(set) var why: String
  /// What to do next: alternatives, each a part of a sentence. A message has those that its reader
  /// can follow (``message(_:)``).
  package private(set) var remedies: [String]
  /// Whether the same command may succeed later without any other change, as with a full disk.
  package let mayPass: Bool

  package init(
    _ kind: Kind, doing: String, path: String? = nil, frame: Int? = nil, line: Int? = nil,
    offset: Int? = nil, why: String, advice: String = "", mayPass: Bool = false
  ) {
    self.init(
      kind, doing: doing, path: path, frame: frame, line: line, offset: offset, why: why,
      advice: advice.isEmpty ? [] : [advice], mayPass: mayPass)
  }

  package init(
    _ kind: Kind, doing: String, path: String? = nil, frame: Int? = nil, line: Int? = nil,
    offset: Int? = nil, why: String, advice: [String], mayPass: Bool = false
  ) {
    self.kind = kind
    self.doing = doing
    self.path = path
    self.frame = frame
    self.line = line
    self.offset = offset
    self.why = why
    remedies = advice
    self.mayPass = mayPass || kind.mayPass
  }

  /// The same failure with the file `path`, and optionally a line.
  package func at(_ path: String, line: Int? = nil) -> Failure {
    var failure = self
    (failure.path, failure.line) = (path, line ?? self.line)
    return failure
  }

  /// The same failure with other advice.
  package func advising(_ advice: [String]) -> Failure {
    var failure = self
    failure.remedies = advice
    return failure
  }

  /// One sentence or two: what, where, why, and what next, of the alternatives that `isPossible`.
  package func message(_ isPossible: (String) -> Bool) -> String {
    var text = doing
    if let path { text += " \(path)" }
    var parts: [String] = []
    if let frame { parts.append("frame \(frame)") }
    if let line { parts.append("line \(line)") }
    if let offset { parts.append("offset \(offset)") }
    if !parts.isEmpty { text += " (\(parts.joined(separator: ", ")))" }
    text += ": \(why)"
    let possible = remedies.filter(isPossible)
    if !possible.isEmpty { text += "; \(possible.joined(separator: ", or "))" }
    return text
  }
}

/// Why a file could not be read to its end, in documents that name the file.
extension Failure: Document {
  package static let fields: [Field<Failure>] = [
    .value("kind", \.kind), .value("doing", \.doing), .maybe("frame", \.frame),
    .maybe("offset", \.offset), .value("why", \.why),
  ]

  package init() { self.init(.corrupt, doing: "", why: "") }
}
