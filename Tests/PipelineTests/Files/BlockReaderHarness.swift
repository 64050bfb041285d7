import Pipeline
import Testing

/// One line as a reader delivered it, or as a byte loop finds it.
struct ReadLine: Equatable {
  var number: Int
  var offset: Int
  /// Without the line feed; only the beginning when `overlong` is set.
  var bytes: [UInt8]
  var overlong: Int?
}

struct Reading {
  var lines: [ReadLine] = []
  var failure: Failure?
  var summary: InputSummary?
  var blocks = 0

  init(
    _ path: String, maxLine: Int = 1 << 20, findsRecords: Bool = false, blockSize: Int = 256,
    index: Int = 0, ahead: FramePrefetcher = FramePrefetcher(nil)
  ) {
    do throws(Failure) {
      let reader = try BlockReader(
        InputFile(path: path, size: nil), index: index, maxLine: maxLine,
        findsRecords: findsRecords, blockSize: blockSize, ahead: ahead)
      defer {
        summary = reader.summary
        reader.close()
      }
      let block = Block(capacity: blockSize)
      do throws(Failure) {
        while try reader.fill(block) { take(block, index) }
        #expect(block.bytes.isEmpty && reader.summary.lines == lines.count)
        #expect(try !reader.fill(block), "the end stays the end")
      } catch {
        failure = error
        #expect(throws: error, "a fault stays") { _ = try reader.fill(block) }
      }
    } catch {
      failure = error
    }
  }

  private mutating func take(_ block: Block, _ index: Int) {
    blocks += 1
    let places = block.records
    #expect(block.input == index && (!places.isEmpty || block.firstLine == lines.count + 1))
    if let overlong = block.overlong {
      lines.append(
        ReadLine(
          number: block.firstLine, offset: block.offset, bytes: block.bytes.array,
          overlong: overlong))
      return
    }
    var bytes = block.bytes.array
    #expect(bytes.last == 0x0A, "a block ends with a whole line")
    bytes.removeLast()
    var offset = block.offset
    let found = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(places.isEmpty || places.count == found.count)
    for (index, line) in found.enumerated() {
      let number = places.isEmpty ? lines.count + 1 : places[index].line
      if !places.isEmpty { offset = places[index].offset }
      lines.append(ReadLine(number: number, offset: offset, bytes: Array(line)))
      offset += line.count + 1
    }
  }

  /// The lines of `plain`, found byte by byte. Lines of more than `buffered` bytes are too long.
  static func naive(_ plain: [UInt8], buffered: Int) -> [ReadLine] {
    var lines: [ReadLine] = []
    var start = plain.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < plain.count {
      let end = plain[start...].firstIndex(of: 0x0A) ?? plain.count
      var line = ReadLine(number: lines.count + 1, offset: start, bytes: Array(plain[start..<end]))
      if line.bytes.count > buffered {
        line.overlong = line.bytes.count - (line.bytes.last == 0x0D ? 1 : 0)
        line.bytes = Array(line.bytes.prefix(Block.keptOfOverlong))
      }
      lines.append(line)
      start = end + 1
    }
    return lines
  }
}
