import TestSupport
import Testing

@testable import Pipeline

@Suite struct ContentScanTests {
  private let fixture = ScratchDirectory.fresh

  /// Where to begin after the first `known` bytes, by looking at all of them.
  private static func start(_ plain: [UInt8], known: Int) -> (start: InputStart, isCut: Bool) {
    func begin(at offset: Int, _ lines: Int) -> InputStart {
      InputStart(
        known: known, hash: contentFacts(Array(plain[..<known])).xxh64, offset: offset,
        lines: lines)
    }
    let old = Array(plain[..<known])
    let lines = old.count { $0 == 0x0A }
    let lineStart = (old.lastIndex(of: 0x0A) ?? -1) + 1
    var tail = Array(old[lineStart...])
    if lineStart == 0, tail.starts(with: [0xEF, 0xBB, 0xBF]) { tail.removeFirst(3) }
    if tail.isEmpty, lineStart == known {
      return (begin(at: known, lines), false)
    }
    guard (try? NaiveJSON(parsing: tail)) != nil else {
      return (begin(at: lineStart, lines), true)
    }
    let rest = plain[known...]
    let end = rest.starts(with: [0x0A]) ? 1 : rest.starts(with: [0x0D, 0x0A]) ? 2 : 0
    return (begin(at: known + end, lines + (end > 0 ? 1 : 0)), false)
  }

  @Test(arguments: [61, 62, 63] as [UInt64])
  func itAgreesWithLookingAtTheWholeContent(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<40 {
      let label: Comment = "seed \(seed), round \(round)"
      var plain: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let line = ["{}", #"{"a":1}"#, "", "  ", "bad", "{\"long\":\"\(round)\"}"]
          .randomElement(using: &random)
        let end = ["\n", "\r\n"].randomElement(using: &random)
        plain += Array(((line ?? "") + (end ?? "")).utf8)
      }
      if Bool.random(using: &random) { plain.removeLast() }
      let known = (0...plain.count).filter { _ in Bool.random(using: &random) }
      var contents = known.map {
        (content: contentFacts(Array(plain[..<$0])), isCut: Self.start(plain, known: $0).isCut)
      }
      contents += contents.map {
        let content = $0.content
        return (
          ContentFacts(
            bytes: content.bytes, xxh64: content.xxh64 &+ 1, firstLine: content.firstLine), false
        )
      }
      let isCompressed = Bool.random(using: &random)
      let path = try fixture.write("\(round)", isCompressed ? zstdFrame(plain) : plain)
      let file = InputFile(path: path, size: plain.count)
      let scan = try ContentScan(
        file, known: KnownContents(contents.shuffled(using: &random)),
        step: Int.random(in: 1...9, using: &random)
      ) { () throws(Failure) in }
      #expect(scan.content == contentFacts(plain), label)
      let expected = known.filter { $0 < plain.count && contentFacts(Array(plain[..<$0])).hasLines }
      #expect(scan.beginnings.map(\.content.bytes) == expected, label)
      #expect(
        scan.beginnings.map(\.start) == expected.map { Self.start(plain, known: $0).start }, label)
      #expect(try ContentScan.firstLine(of: file).hash == contentFacts(plain).firstLine, label)

      for start in scan.beginnings.map(\.start) {
        var rest = file
        rest.start = start
        let reader = try BlockReader(rest, index: 0, maxLine: 100, blockSize: 16)
        let block = Block(capacity: 16)
        var delivered = 0
        while try reader.fill(block) {
          #expect(block.firstLine == start.lines + delivered + 1, label)
          delivered += NewlineScan(block.bytes).count
        }
        #expect(reader.summary.content == scan.content, label)
        let lines = plain[start.offset...].split(separator: 0x0A, omittingEmptySubsequences: false)
        #expect(reader.summary.lines == lines.count - (lines.last?.isEmpty == true ? 1 : 0), label)
      }
    }
  }

  /// Comparing with all lengths would take the square of the number of inputs.
  @Test func onlyTheLongestLengthsAndThoseNeededAreCompared() throws {
    let plain = Array(String(repeating: "{}\n", count: 1005).utf8)
    let file = InputFile(path: try fixture.write("log", plain), size: plain.count)
    let known = (1...1004).map { (contentFacts(Array(plain[..<(3 * $0)])), false) }
    func compared(_ count: Int) throws -> [Int] {
      try ContentScan(file, known: KnownContents(known.suffix(count)), needed: [6]) {
        () throws(Failure) in
      }.beginnings.map { $0.content.bytes / 3 }
    }
    #expect(try compared(1000) == Array(5...1004))
    #expect(try compared(1004) == [2] + Array(5...1004))
  }

  @Test func aFaultKeepsWhatWasFoundBeforeIt() throws {
    let plain = Array("{}\n{}\n".utf8)
    let whole = try zstdFrame(plain) + zstdFrame(plain)
    let path = try fixture.write("cut", Array(whole.dropLast(3)))
    let known = contentFacts(plain)
    let scan = try ContentScan(
      InputFile(path: path, size: whole.count),
      known: KnownContents([(known, false), (contentFacts([]), false)])
    ) { () throws(Failure) in }
    #expect(scan.content == nil && scan.fault?.kind == .corrupt)
    #expect(scan.beginnings.map(\.start.offset) == [plain.count])
  }

  @Test(arguments: [0, 1, ContentScan.step, 2 * ContentScan.step + 1])
  func contentsAreComparedToTheirEnds(length: Int) throws {
    func file(_ name: String, _ last: UInt8) throws -> InputFile {
      let bytes = [UInt8](repeating: 0x61, count: length) + [last]
      return InputFile(path: try fixture.write(name, bytes), size: bytes.count)
    }
    let (one, same, other) = (try file("1", 0x0A), try file("2", 0x0A), try file("3", 0x61))
    #expect(try ContentScan.haveSameContent(one, same) { () throws(Failure) in })
    #expect(try !ContentScan.haveSameContent(one, other) { () throws(Failure) in })
  }

  /// Two inputs that end in the same fault were the same, and one that could not be opened was
  /// another.
  @Test func whatCannotBeReadIsNotCompared() throws {
    let whole = try zstdFrame(Array("{}\n".utf8))
    let files = try ["one", "two", "cut", "alsoCut"].map { name in
      let bytes = name.lowercased().hasSuffix("cut") ? Array(whole.dropLast(3)) : whole
      return InputFile(path: try fixture.write(name, bytes), size: bytes.count)
    }
    func isSame(_ first: InputFile, _ second: InputFile) throws(Failure) -> Bool {
      try ContentScan.haveSameContent(first, second) { () throws(Failure) in }
    }
    #expect(try isSame(files[0], files[1]))
    #expect { try isSame(files[2], files[3]) } throws: { ($0 as? Failure)?.kind == .corrupt }
    let gone = InputFile(path: fixture("gone"), size: 3)
    #expect { try isSame(files[0], gone) } throws: { ($0 as? Failure)?.kind == .io }
  }
}
