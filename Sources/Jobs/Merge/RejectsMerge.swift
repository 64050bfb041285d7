import Pipeline

/// Concatenates the rejects of several partials in the order of the inputs, as one run would have
/// written them.
enum RejectsMerge {
  /// The rejects of one partial, in the order of its inputs.
  struct Source {
    let inputs: [String]
    let open: () throws(Failure) -> FrameFile
  }

  /// Writes the rejects of `sources` into `writer`. Lines that name an erased person lose their
  /// text to `redaction`. A file is open from the first of its inputs to its end: few are open at a
  /// time when partials have consecutive inputs.
  static func write(
    _ sources: [Source], to writer: SeekableTextWriter, without redaction: RejectRedaction? = nil
  ) throws(Failure) {
    let inputs = sources.enumerated().flatMap { number, source in
      source.inputs.map { (number: number, path: $0) }
    }
    var left = sources.map(\.inputs.count)
    // Nil for those that are at their end.
    var streams: [Int: RejectsStream?] = [:]
    for (number, path) in inputs.sorted(byBytesOf: \.path) {
      let stream =
        if let known = streams[number] { known } else { try RejectsStream(sources[number].open()) }
      try stream?.copy(path, to: writer, redaction)
      left[number] -= 1
      if left[number] == 0 { try stream?.checkEnd() }
      streams.updateValue(stream?.isAtEnd ?? true ? nil : stream, forKey: number)
    }
    for source in sources where source.inputs.isEmpty {
      try RejectsStream(source.open()).checkEnd()
    }
  }
}

/// Reads the rejects of one partial line by line. For one thread.
private final class RejectsStream {
  private static let beginning = "{\"source\":"

  private let file: FrameFile
  private let reader: FrameFileReader
  private var frame = 0
  private var text = ByteBuffer()
  /// The current line with its line feed; empty at the end.
  private var range = 0..<0

  init(_ file: FrameFile) throws(Failure) {
    (self.file, reader) = (file, try FrameFileReader())
    try advance()
  }

  /// Copies the lines of the input `path`, which are the next ones.
  func copy(
    _ path: String, to writer: SeekableTextWriter, _ redaction: RejectRedaction?
  ) throws(Failure) {
    let beginning = ByteBuffer(text: "\(Self.beginning)\(path.jsonText),")
    while text[range].starts(with: beginning.view) {
      if let redaction {
        guard try redaction.write(text[range], to: writer) else {
          throw damaged("a line is not a reject entry")
        }
      } else {
        try writer.append(text[range])
      }
      try advance()
    }
  }

  var isAtEnd: Bool { range.isEmpty }

  func checkEnd() throws(Failure) {
    if isAtEnd { return }
    let beginning = ByteBuffer(text: Self.beginning)
    throw damaged(
      text[range].starts(with: beginning.view)
        ? "a reject entry has an input that is not listed" : "a line is not a reject entry")
  }

  private func advance() throws(Failure) {
    while range.upperBound == text.count {
      range = 0..<0
      text.removeAll()
      guard frame < file.frames.count else { return }
      try reader.decode(frame: frame, of: file, into: &text)
      frame += 1
    }
    let start = range.upperBound
    guard let length = text.view.dropFirst(start).firstIndex(of: JSONByte.lineFeed) else {
      throw damaged("a line has no line feed")
    }
    range = start..<start + length + 1
  }

  private func damaged(_ why: String) -> Failure { file.file.damaged(why, frame: frame - 1) }
}
