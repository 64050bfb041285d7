/// Where to begin reading an input whose beginning an earlier run has read.
package struct InputStart: Equatable, Sendable {
  /// Bytes of the content that the earlier run had.
  package let known: Int
  /// Offset in the content of the first byte to read: at most two bytes, a line end, above
  /// `known`, or below it at the beginning of a line that was cut then.
  package let offset: Int
  /// Number of lines before it.
  package let lines: Int

  package init(known: Int, offset: Int, lines: Int) {
    (self.known, self.offset, self.lines) = (known, offset, lines)
  }
}

/// The result of reading the content of an input before a run, to compare it with others.
package struct ContentScan: Sendable {
  /// The longest unfinished line that is compared with JSON; a longer one counts as cut.
  private static let longestTail = 64 << 20
  /// Bytes that are read at once.
  package static let step = 256 << 10

  /// Nil when it could not be read to its end.
  package private(set) var content: ContentFacts?
  /// Length and hash of the file, as far as it was read.
  package private(set) var file = FileHash(bytes: 0, xxh64: 0)
  /// The known contents that it begins with and that are shorter, from the shortest.
  package private(set) var beginnings: [(content: ContentFacts, start: InputStart)] = []

  /// The hash of the first line of `file`, and the length of its content where it is known; nil
  /// when it cannot be read. Reads no more than that line needs.
  package static func firstLine(
    of file: InputFile, system: System = .real
  ) -> (hash: UInt64, bytes: Int?)? {
    do throws(Failure) {
      let opened = try OpenedInput(file, hashes: false, system: system)
      var hash = ContentHash(hashesWhole: false)
      var piece = ByteBuffer(capacity: 4 << 10)
      while !hash.hasFirstLine, try opened.source.read(4 << 10, into: &piece) > 0 {
        hash.update(piece.view)
        piece.removeAll()
      }
      return (hash.firstLineDigest, opened.compression == .none ? file.size : nil)
    } catch {
      return nil
    }
  }

  /// Reads all of `file`, and compares its beginning with the contents `known`. A fault ends it
  /// early. `each` is called for every piece of `step` bytes.
  ///
  /// - Throws: what `each` throws. Complexity: O(content), memory is a piece and a line.
  package init(
    _ file: InputFile, known: [ContentFacts], step: Int = ContentScan.step,
    system: System = .real, each: () throws(Failure) -> Void
  ) throws(Failure) {
    let opened: OpenedInput
    do throws(Failure) { opened = try OpenedInput(file, system: system) } catch { return }
    var marks = known.sorted { $0.bytes < $1.bytes }[...]
    var walk = Walk()
    var piece = ByteBuffer(capacity: step)
    while true {
      try each()
      piece.removeAll()
      do throws(Failure) {
        if try opened.source.read(step, into: &piece) == 0 {
          try opened.raw.checkUnchanged()
          content = walk.content
          self.file = FileHash(bytes: opened.raw.count, xxh64: opened.raw.digest ?? 0)
          break
        }
      } catch {
        break
      }
      var position = 0
      while position < piece.count {
        let toMark = marks.first.map { $0.bytes - walk.bytes } ?? .max
        let end = position + min(piece.count - position, toMark)
        walk.add(piece[position..<end])
        position = end
        while let mark = marks.first, mark.bytes <= walk.bytes {
          marks.removeFirst()
          walk.compare(with: mark)
        }
      }
    }
    beginnings = walk.found.filter { $0.content.bytes < walk.bytes }
      .map { ($0.content, $0.start) }
  }

  /// The state of reading: the hash, and the lines of what was read.
  private struct Walk: ~Copyable {
    /// A known content that the input begins with.
    struct Found {
      let content: ContentFacts
      /// Line feeds in it, and where the line after the last of them begins.
      let lines: Int
      let lineStart: Int
      /// Whether its last line, without a line feed, is cut rather than whole.
      let isCut: Bool
      /// The first bytes after it.
      var next: [UInt8] = []

      var start: InputStart {
        let bytes = content.bytes
        if lineStart == bytes || isCut {
          return InputStart(known: bytes, offset: lineStart, lines: lines)
        }
        let feed: [UInt8] = [JSONByte.lineFeed]
        let lineEnd = next.starts(with: feed) ? 1 : next == [JSONByte.carriageReturn] + feed ? 2 : 0
        return InputStart(
          known: bytes, offset: bytes + lineEnd, lines: lineEnd > 0 ? lines + 1 : lines)
      }
    }

    private var hash = ContentHash()
    private var lines = 0
    private var lineStart = 0
    /// The bytes since `lineStart`, unless they are too many.
    private var tail = ByteBuffer()
    private var isTailTooLong = false
    private(set) var found: [Found] = []

    var bytes: Int { hash.bytes }
    var content: ContentFacts {
      ContentFacts(bytes: hash.bytes, xxh64: hash.digest(), firstLine: hash.firstLineDigest)
    }

    mutating func add(_ piece: ByteView) {
      for index in found.indices where found[index].next.count < 2 {
        found[index].next += piece[0..<min(piece.count, 2 - found[index].next.count)].array
      }
      let scan = NewlineScan(piece)
      lines += scan.count
      if let last = scan.last {
        lineStart = hash.bytes + last + 1
        tail.removeAll()
        isTailTooLong = false
      }
      hash.update(piece)
      let rest = piece.dropFirst(scan.last.map { $0 + 1 } ?? 0)
      isTailTooLong = isTailTooLong || tail.count + rest.count > ContentScan.longestTail
      if isTailTooLong { tail.removeAll() } else { tail.append(rest) }
    }

    private var isTailJSON: Bool {
      let mark = BlockReader.byteOrderMark
      let hasMark =
        lineStart == 0 && tail.count >= mark.count
        && mark.indices.allSatisfy { tail[$0] == mark[$0] }
      return (try? JSONDocument(tail.view.dropFirst(hasMark ? mark.count : 0))) != nil
    }

    /// Notes `known` if it is what was read so far.
    mutating func compare(with known: ContentFacts) {
      guard known.hasLines, known.bytes == hash.bytes, known.xxh64 == hash.digest() else { return }
      let isCut = isTailTooLong || (!tail.isEmpty && !isTailJSON)
      found.append(Found(content: known, lines: lines, lineStart: lineStart, isCut: isCut))
    }
  }
}
