/// Why a job stopped, in words for the person who has to mend it.
///
/// Every failure says what was being done, to which file (frame, line, offset), why it failed and
/// what to do next. Bad *data* is no failure: it goes to the rejects.
package struct Failure: Error, Sendable, Equatable {
  /// What kind of failure it is; the command line turns it into an exit code.
  package enum Kind: String, Sendable, Equatable {
    /// Wrong options or arguments (exit code 2).
    case usage
    /// A file could not be read or written, a disk is full (exit code 1).
    case io
    /// An input holds more of something than there is room for (exit code 1).
    case limit
    /// An input is damaged or cut (exit code 4).
    case corrupt
    /// Another run holds the output (exit code 5).
    case locked
    /// `--max-rejects` was exceeded (exit code 3).
    case rejects
    /// The ledger does not add up, or another promise is broken: a bug (exit code 1).
    case defect
    /// A signal ended the run (exit code 130 or 143).
    case interrupted

    /// Whether the same thing may well succeed when it is done again, without anything else being
    /// changed.
    package var mayPass: Bool {
      switch self {
      case .io, .locked, .interrupted: true
      case .usage, .limit, .corrupt, .rejects, .defect: false
      }
    }
  }

  package let kind: Kind
  /// What was being done, as in "reading the input".
  package let doing: String
  /// The file it was done to.
  package private(set) var path: String?
  /// Number of the compressed frame, 0-based.
  package let frame: Int?
  /// Line number, 1-based.
  package private(set) var line: Int?
  /// Byte offset in the decompressed file.
  package internal(set) var offset: Int?
  /// Why it failed.
  package let why: String
  /// What to do next; empty when there is nothing to do.
  package let advice: String

  package init(
    _ kind: Kind, doing: String, path: String? = nil, frame: Int? = nil, line: Int? = nil,
    offset: Int? = nil, why: String, advice: String = ""
  ) {
    self.kind = kind
    self.doing = doing
    self.path = path
    self.frame = frame
    self.line = line
    self.offset = offset
    self.why = why
    self.advice = advice
  }

  /// The same failure, which happened in the file `path`, perhaps in that line.
  package func at(_ path: String, line: Int? = nil) -> Failure {
    var failure = self
    (failure.path, failure.line) = (path, line ?? self.line)
    return failure
  }

  /// One sentence or two: what, where, why, what next.
  package var message: String {
    var text = doing
    if let path { text += " \(path)" }
    var parts: [String] = []
    if let frame { parts.append("frame \(frame)") }
    if let line { parts.append("line \(line)") }
    if let offset { parts.append("offset \(offset)") }
    if !parts.isEmpty { text += " (\(parts.joined(separator: ", ")))" }
    text += ": \(why)"
    if !advice.isEmpty { text += "; \(advice)" }
    return text
  }
}
