/// Why a job stopped: what was being done, to which file, why it failed and what to do next. Bad
/// *data* is not a failure: it goes to the rejects.
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

    fileprivate var mayPass: Bool { self == .locked || self == .interrupted }
  }

  package private(set) var kind: Kind
  /// What was being done, as in "reading the input".
  package private(set) var doing: String
  package private(set) var path: String?
  /// Number of the compressed frame, 0-based.
  package private(set) var frame: Int?
  /// Line number, 1-based.
  package private(set) var line: Int?
  /// Byte offset in the decompressed file.
  package internal(set) var offset: Int?
  package private(set) var why: String
  /// What to do next: alternatives, each a part of a sentence, for ``message(_:)``.
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
    (self.kind, self.doing, self.path, self.why) = (kind, doing, path, why)
    (self.frame, self.line, self.offset) = (frame, line, offset)
    (remedies, self.mayPass) = (advice, mayPass || kind.mayPass)
  }

  package func at(_ path: String) -> Failure {
    var failure = self
    failure.path = path
    return failure
  }

  package func advising(_ advice: [String]) -> Failure {
    var failure = self
    failure.remedies = advice
    return failure
  }

  /// The result of reading something; nil when that is damaged.
  package static func ifIntact<Value>(
    _ read: @autoclosure () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    do throws(Failure) {
      return try read()
    } catch {
      if error.kind == .corrupt { return nil }
      throw error
    }
  }

  /// One sentence or two: what, where, why, and what next, of the alternatives that `isPossible`.
  package func message(_ isPossible: (String) -> Bool) -> String {
    var text = doing + (path.map { " \($0)" } ?? "")
    let position = [("frame", frame), ("line", line), ("offset", offset)]
      .compactMap { name, number in number.map { "\(name) \($0)" } }
    if !position.isEmpty { text += " (\(position.joined(separator: ", ")))" }
    text += ": \(why)"
    let possible = remedies.filter(isPossible)
    return possible.isEmpty ? text : "\(text); \(possible.joined(separator: ", or "))"
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
