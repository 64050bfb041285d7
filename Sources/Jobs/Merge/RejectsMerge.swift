import Pipeline

/// Concatenates the rejects of several partials in the order of the inputs, as one run would have
/// written them.
struct RejectsMerge {
  /// The indices of inputs among all, by their paths as JSON strings in rejects.
  private let numbers: [[UInt8]: Int]

  /// A merge of the rejects of `inputs`, which are sorted by the bytes of their paths.
  init(inputs: [InputOutcome]) {
    var numbers: [[UInt8]: Int] = [:]
    for (index, input) in inputs.enumerated() {
      numbers[Array(input.file.path.jsonText.utf8)] = index
    }
    self.numbers = numbers
  }

  /// The rejects of one partial.
  struct Source {
    /// The paths of its inputs.
    let inputs: [String]
    let open: () throws(Failure) -> FrameFile
  }

  /// Writes the rejects of `sources` into `writer`. A file is opened when the first of its inputs
  /// is next, and closed at its end: few are open at a time when partials have consecutive inputs.
  ///
  /// Lines that name an erased person lose their text to `redaction`.
  ///
  /// - Throws: `corrupt`, when a file is invalid; `io`.
  func write(
    _ sources: [Source], to writer: SeekableTextWriter, without redaction: RejectRedaction? = nil
  ) throws(Failure) {
    var waiting = sources.map { (index: firstNumber(of: $0), source: $0) }
    waiting.sort { $0.index > $1.index }
    var streams: [RejectsStream] = []
    while true {
      let least = streams.indices.min { streams[$0].index < streams[$1].index }
      if let next = waiting.last, least.map({ next.index <= streams[$0].index }) ?? true {
        waiting.removeLast()
        let stream = RejectsStream(try next.source.open(), try FrameFileReader(), numbers)
        if try stream.advance() { streams.append(stream) }
        continue
      }
      guard let least else { return }
      try copyInput(of: streams[least], to: writer, redaction)
      if streams[least].isAtEnd { streams.remove(at: least) }
    }
  }

  /// Copies the lines of a stream's current input.
  private func copyInput(
    of stream: RejectsStream, to writer: SeekableTextWriter, _ redaction: RejectRedaction?
  ) throws(Failure) {
    let index = stream.index
    repeat {
      guard let redaction else {
        try writer.append(stream.line)
        continue
      }
      guard try redaction.write(stream.line, to: writer) else {
        throw stream.damaged("a line is not a reject entry")
      }
    } while try stream.advance() && stream.index == index
  }

  /// The index of the first input of a partial.
  private func firstNumber(of source: Source) -> Int {
    source.inputs.map { numbers[Array($0.jsonText.utf8)] ?? 0 }.min() ?? .max
  }
}

/// Reads the rejects of one partial line by line. For one thread.
private final class RejectsStream {
  private static var beginning: ByteView { "{\"source\":" }

  private let file: FrameFile
  private let reader: FrameFileReader
  private let numbers: [[UInt8]: Int]
  private var frame = 0
  private var text = ByteBuffer()
  private var range = 0..<0
  private var source: [UInt8] = []
  /// The index of the input of the line.
  private(set) var index = -1
  /// Whether there are no more lines.
  private(set) var isAtEnd = false

  init(_ file: FrameFile, _ reader: FrameFileReader, _ numbers: [[UInt8]: Int]) {
    self.file = file
    self.reader = reader
    self.numbers = numbers
  }

  /// The failure for an invalid line.
  func damaged(_ why: String) -> Failure { file.file.damaged(why, frame: frame - 1) }

  /// The line with its line end; valid until ``advance()``.
  var line: ByteView { text[range] }

  /// Moves to the next line; false at the end.
  func advance() throws(Failure) -> Bool {
    while range.upperBound == text.count {
      guard frame < file.frames.count else {
        isAtEnd = true
        return false
      }
      text.removeAll()
      range = 0..<0
      try reader.decode(frame: frame, of: file, into: &text)
      frame += 1
    }
    let start = range.upperBound
    guard let length = text.view.dropFirst(start).firstIndex(of: UInt8(ascii: "\n")) else {
      throw damaged("a line has no line feed")
    }
    range = start..<start + length + 1
    try findNumber()
    return true
  }

  private func findNumber() throws(Failure) {
    guard line.starts(with: Self.beginning) else {
      throw damaged("a line is not a reject entry")
    }
    let rest = line.dropFirst(Self.beginning.count)
    // Most lines have the same input as the previous one.
    if index >= 0, ByteView.with(source, { rest.starts(with: $0) }) { return }
    guard let end = rest.endOfString, let found = numbers[rest[0..<end].array], found >= index
    else {
      throw damaged("a reject entry has an input that is not listed")
    }
    source = rest[0..<end].array
    index = found
  }
}

extension ByteView {
  /// The index after the quote that ends the JSON string at the beginning of the view; nil without
  /// one.
  fileprivate var endOfString: Int? {
    guard count > 1, self[0] == UInt8(ascii: "\"") else { return nil }
    var index = 1
    while index < count {
      switch self[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index + 1
      default: index += 1
      }
    }
    return nil
  }
}
