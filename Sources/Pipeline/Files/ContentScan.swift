/// The position to begin reading an input whose beginning an earlier run has read.
package struct InputStart: Document, Equatable, Sendable {
  /// Bytes of the content that the earlier run had, and their XXH64, seed 0.
  package private(set) var known = 0
  package private(set) var hash: UInt64 = 0
  /// Offset in the content of the first byte to read: at most two bytes, a line end, above
  /// `known`, or below it at the beginning of a line that was cut then.
  package private(set) var offset = 0
  package private(set) var lines = 0

  package static let fields: [Field<InputStart>] = [
    .size("known_bytes", \.known), .value("known_xxh64", \.hash), .size("offset", \.offset),
    .size("lines_before", \.lines),
  ]

  package init() {}

  package init(known: Int, hash: UInt64, offset: Int, lines: Int) {
    (self.known, self.hash, self.offset, self.lines) = (known, hash, offset, lines)
  }
}

/// Contents that were read before, all with the same first line.
package struct KnownContents: Sendable {
  /// Most lengths that a content is compared at, but for those that must be: or the work would grow
  /// with the square of the number of inputs.
  private static let mostLengths = 1000

  /// Whether the last line of each was rejected because it was cut.
  private let isCut: [ContentFacts: Bool]
  /// Ascending.
  private let lengths: [Int]

  /// Of equal contents one with a whole last line counts. Complexity: O(n log n).
  package init(_ contents: [(content: ContentFacts, isCut: Bool)]) {
    let contents = contents.filter { $0.content.hasLines }
    isCut = Dictionary(contents.map { ($0.content, $0.isCut) }) { $0 && $1 }
    lengths = Set(isCut.keys.map(\.bytes)).sorted()
  }

  /// Whether one of them has at most `bytes` bytes.
  package func mayBegin(_ bytes: Int) -> Bool { lengths.first.map { $0 <= bytes } ?? false }

  /// The lengths to compare at, ascending: those in `needed`, and the longest others.
  fileprivate func marks(_ needed: [Int]) -> [Int] {
    if lengths.count <= Self.mostLengths { return lengths }
    return Set(lengths.suffix(Self.mostLengths) + needed).sorted()
  }

  /// Whether the last line of this content is cut; nil when the content is not known.
  fileprivate func isCut(_ content: ContentFacts) -> Bool? { isCut[content] }
}

/// The result of reading the content of an input before a run, to compare it with others.
package struct ContentScan: Sendable {
  package static let step = 256 << 10

  /// Nil when it could not be read to its end, for the reason ``fault``.
  package private(set) var content: ContentFacts?
  package private(set) var fault: Failure?
  /// Of the file, as far as it was read.
  package private(set) var file = FileHash()
  /// What ``InputFile/seen`` has to be if the result counts.
  package private(set) var seen: FileStatus?
  /// The known contents that it begins with, from the shortest. Only of a damaged input one of them
  /// may be all that can be read.
  package private(set) var beginnings: [(content: ContentFacts, start: InputStart)] = []

  /// The hash of the first line of `file`, and the length of its content where it is known.
  package static func firstLine(
    of file: InputFile, system: System = .real
  ) throws(Failure) -> (hash: UInt64, bytes: Int?) {
    let opened = try OpenedInput(file, hashes: false, system: system)
    var hash = ContentHash(hashesWhole: false)
    while !hash.hasFirstLine, try hash.read(4 << 10, of: opened.source) {}
    return (hash.firstLineDigest, opened.compression == .none ? file.size : nil)
  }

  /// The first `bytes` bytes of the content that `raw` has, which are read again; nil when there
  /// are fewer, or its path has another file by now.
  static func beginning(of raw: RawInput, bytes: Int) throws(Failure) -> ContentFacts? {
    let opened = try OpenedInput(raw.file, hashes: false, system: raw.system)
    guard bytes > 0, opened.raw.seen.identity == raw.seen.identity else { return nil }
    var hash = ContentHash()
    while hash.bytes < bytes, try hash.read(min(step, bytes - hash.bytes), of: opened.source) {}
    return hash.bytes == bytes ? hash.facts() : nil
  }

  /// Reads all of `file`, and compares its beginning with `known` contents, in any case those of
  /// the lengths `needed`. A fault ends it early. `each` is called for every piece of `step` bytes.
  /// Complexity: O(content + known contents), memory is a piece.
  package init(
    _ file: InputFile, known: KnownContents, needed: [Int] = [], step: Int = ContentScan.step,
    system: System = .real, each: () throws(Failure) -> Void
  ) throws(Failure) {
    let opened: OpenedInput
    do throws(Failure) {
      opened = try OpenedInput(file, system: system)
    } catch {
      fault = error
      return
    }
    seen = opened.raw.seen
    var marks = known.marks(needed)[...]
    var walk = Walk()
    var piece = ByteBuffer(capacity: step)
    var isAtEnd = false
    while !isAtEnd {
      try each()
      piece.removeAll()
      // What was read before a fault counts.
      do throws(Failure) {
        isAtEnd = try opened.source.read(step, into: &piece) == 0
        if isAtEnd { try opened.raw.checkUnchanged() }
      } catch {
        (fault, isAtEnd) = (error, true)
      }
      var position = 0
      while position < piece.count {
        let toMark = marks.first.map { $0 - walk.bytes } ?? .max
        let end = position + min(piece.count - position, toMark)
        walk.add(piece[position..<end])
        position = end
        if marks.first == walk.bytes {
          marks.removeFirst()
          walk.compare(with: known)
        }
      }
    }
    if fault == nil {
      content = walk.content
      self.file = FileHash(bytes: opened.raw.count, xxh64: opened.raw.digest ?? 0)
    }
    beginnings = walk.found.filter { content == nil || $0.content.bytes < walk.bytes }
      .map { ($0.content, $0.start) }
  }

  /// Whether two inputs have the same content, byte for byte; `each` is called for every piece.
  /// - Throws: when one cannot be read to its end; what `each` throws.
  package static func haveSameContent(
    _ first: InputFile, _ second: InputFile, system: System = .real,
    each: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let a = try OpenedInput(first, hashes: false, system: system).source
    let b = try OpenedInput(second, hashes: false, system: system).source
    func fill(_ piece: inout ByteBuffer, from source: any ByteSource) throws(Failure) {
      piece.removeAll()
      while piece.count < step, try source.read(step - piece.count, into: &piece) > 0 {}
    }
    var left = ByteBuffer()
    var right = ByteBuffer()
    while true {
      try each()
      try fill(&left, from: a)
      try fill(&right, from: b)
      guard left.view == right.view else { return false }
      if left.count == 0 { return true }
    }
  }

  private struct Walk: ~Copyable {
    struct Found {
      let content: ContentFacts
      /// Line feeds in it, and where the line after the last of them begins.
      let lines: Int
      let lineStart: Int
      /// Whether its last line, without a line feed, was cut rather than whole.
      let isCut: Bool
      /// The first bytes after it.
      var next: [UInt8] = []

      var start: InputStart {
        var (offset, lines) = (lineStart, lines)
        if lineStart < content.bytes, !isCut {
          let ends = [[JSONByte.lineFeed], [JSONByte.carriageReturn, JSONByte.lineFeed]]
          let lineEnd = ends.first(where: next.starts)?.count ?? 0
          offset = content.bytes + lineEnd
          lines += lineEnd > 0 ? 1 : 0
        }
        return InputStart(
          known: content.bytes, hash: content.xxh64, offset: offset, lines: lines)
      }
    }

    private var hash = ContentHash()
    private var lines = 0
    private var lineStart = 0
    private(set) var found: [Found] = []

    var bytes: Int { hash.bytes }
    var content: ContentFacts { hash.facts() }

    mutating func add(_ piece: ByteView) {
      for index in found.indices.suffix(2) where found[index].next.count < 2 {
        found[index].next += piece[0..<min(piece.count, 2 - found[index].next.count)].array
      }
      let scan = NewlineScan(piece)
      lines += scan.count
      if let last = scan.last { lineStart = hash.bytes + last + 1 }
      hash.update(piece)
    }

    /// Notes what was read so far if it is known. Only its whole first line may differ then.
    mutating func compare(with known: KnownContents) {
      guard let isCut = known.isCut(content) else { return }
      found.append(Found(content: content, lines: lines, lineStart: lineStart, isCut: isCut))
    }
  }
}
