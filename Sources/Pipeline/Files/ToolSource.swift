/// An input that an external program decompresses.
///
/// One thread does all of it: it waits until the program accepts bytes, has bytes or has a message,
/// and does what is possible without blocking. So neither side can block the other.
final class ToolSource: ByteSource {
  /// A program that decompresses standard input to standard output when called with `-dc`.
  struct Tool: Sendable, Equatable {
    let command: String
    /// The Debian package that contains it.
    let package: String
  }

  /// Compressed bytes per read.
  private static let chunk = 64 << 10
  /// Most bytes kept of the program's error messages.
  private static let longestComplaint = 4 << 10

  private let raw: RawInput
  private let tool: Tool
  let child: ChildProcess
  /// Our ends of the program's standard descriptors; nil when closed.
  private var input: Descriptor?
  private let output: Descriptor
  private var errors: Descriptor?

  /// Compressed bytes read; those before `sent` were written to the program.
  private var compressed = ByteBuffer(capacity: ToolSource.chunk)
  private var sent = 0
  private var complaint = ByteBuffer(capacity: ToolSource.longestComplaint)
  private var isDone = false

  init(_ raw: RawInput, tool: Tool) throws(Failure) {
    (self.raw, self.tool) = (raw, tool)
    do {
      let input = try raw.system.connection()
      let output = try raw.system.connection()
      let errors = try raw.system.connection()
      child = try ChildProcess(
        tool.command, ["-dc"], input: input.theirs, output: output.theirs, errors: errors.theirs,
        system: raw.system)
      self.input = input.keepOurs()
      self.output = output.keepOurs()
      self.errors = errors.keepOurs()
    } catch {
      throw Failure(
        .io, doing: RawInput.doing, path: raw.file.name,
        why: error.isMissing
          ? "\(tool.command) is needed to read it and is not installed"
          : "\(tool.command) could not be started: \(error.words)",
        advice: error.isMissing
          ? "install it with apt-get install \(tool.package)" : error.advice(.reading),
        mayPass: error.mayPass(.reading))
    }
  }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    while !isDone {
      var interests = self.interests()
      try explained(raw.system.wait(for: &interests, giving: raw.cores))
      for interest in interests where interest.isReady {
        if interest.number == errors?.number { try listen() }
        if interest.number == input?.number { try feed() }
        if interest.number == raw.number && interest.number != input?.number { try refill() }
      }
      guard interests[0].isReady else { continue }
      let read = try explained(output.read(limit, into: &buffer))
      if read > 0 { return read }
      try finish()
      isDone = true
    }
    return 0
  }

  /// The descriptors to wait for now; the program's output comes first.
  private func interests() -> [Interest] {
    var interests = [Interest(number: output.number, direction: .reading)]
    if let errors = errors?.number {
      interests.append(Interest(number: errors, direction: .reading))
    }
    if let number = input?.number {
      // Bytes to write, or none left: then the next ones must be read.
      let isFull = sent < compressed.count
      interests.append(
        Interest(number: isFull ? number : raw.number, direction: isFull ? .writing : .reading))
    }
    return interests
  }

  private func feed() throws(Failure) {
    if let taken = try explained(input?.offer(compressed.view.dropFirst(sent))) ?? nil {
      sent += taken
    } else {
      // It accepts no more input. Its exit status shows whether that is an error.
      input = nil
    }
  }

  /// Reads the next compressed bytes; at the end of the file closes the program's input.
  private func refill() throws(Failure) {
    compressed.removeAll()
    sent = 0
    if try raw.read(ToolSource.chunk, into: &compressed) == 0 { input = nil }
  }

  private func listen() throws(Failure) {
    var text = ByteBuffer(capacity: ToolSource.longestComplaint)
    let read = try explained(errors?.read(ToolSource.longestComplaint, into: &text))
    if read == 0 { errors = nil }
    complaint.append(text[0..<min(text.count, ToolSource.longestComplaint - complaint.count)])
  }

  /// Reaps the program after the end of its output.
  private func finish() throws(Failure) {
    while errors != nil { try listen() }
    switch try explained(child.wait()) {
    case .exit(0):
      // bzip2 skips what follows a damaged header and only prints a message.
      if let words { throw corrupt(words) }
      let isWhole = input == nil && sent == compressed.count
      guard isWhole else { throw corrupt("\(tool.command) stopped before the end of the file") }
    case .exit(let status):
      throw ended(words ?? "\(tool.command) ended with status \(status)")
    case .signal(let number):
      throw Failure(
        .io, doing: RawInput.doing, path: raw.file.name,
        why: "\(tool.command) was ended by signal \(number)", advice: "run again", mayPass: true)
    }
  }

  /// The failure of a program that ended with this message, which names memory if it got none.
  private func ended(_ why: String) -> Failure {
    let words = why.lowercased()
    guard words.contains("memory") else { return corrupt(why) }
    // As in "Memory usage limit reached": a setting of xz.
    let isLimit = words.contains("limit")
    return Failure(
      .io, doing: RawInput.doing, path: raw.file.name, why: why,
      advice: isLimit
        ? "raise the limit of \(tool.command)" : "run again when the machine has more free memory",
      mayPass: !isLimit)
  }

  /// The first line of the program's error messages that is not blank, as a part of a sentence.
  private var words: String? {
    complaint.view.text.split(whereSeparator: \.isNewline)
      .first { !$0.allSatisfy(\.isWhitespace) }
      .map { String($0.hasSuffix(";") ? $0.dropLast() : $0) }
  }

  private func corrupt(_ why: String) -> Failure {
    Failure(
      .corrupt, doing: RawInput.doing, path: raw.file.name, why: why, advice: ZstdError.refetch)
  }

  private func explained<Value>(
    _ call: @autoclosure () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    let doing = "reading through \(tool.command) the input"
    return try System.explained(doing, raw.file.name, for: .reading, call())
  }
}
