import TestSupport
import Testing

@testable import Pipeline

@Suite struct RecordCutterTests {
  /// What an input is, by its beginning (data-model 2).
  @Test func detectsTheForm() {
    for row in Vectors.rows("record-forms") {
      let text = Array((row[0]?.text ?? "?").utf8)
      let found = withByteView(of: text) { RecordCutter.detect($0, isAtEnd: true) }
      let name =
        switch found {
        case .lines: "lines"
        case .unknown: "unknown"
        case .records(let form): form == .array ? "array" : "objects"
        }
      #expect(name == row[1]?.text, "\(row)")
    }
  }

  @Test(arguments: ["", "  \n", "{", "{\"a\":1}", "{\n"])
  func waitsForTheSecondLine(_ text: String) {
    let found = withByteView(of: Array(text.utf8)) { RecordCutter.detect($0, isAtEnd: false) }
    #expect(found == .unknown)
  }

  /// Rows have a text, and its records, each with the number of its line.
  @Test func findsRecords() {
    for row in Vectors.rows("records") {
      expectRecords((row[1]?.items ?? []).compactMap(\.text), in: row[0]?.text ?? "")
    }
  }

  private func expectRecords(_ expected: [String], in text: String) {
    let content = ByteBuffer(text: text)
    guard case .records(let form) = RecordCutter.detect(content.view, isAtEnd: true) else {
      Issue.record("\(text) has lines")
      return
    }
    // Given byte by byte, and with what is settled dropped, the records are the same.
    for (step, drops) in [(text.utf8.count, false), (1, false), (1, true)] {
      var cutter = RecordCutter(form)
      var (found, first, end): ([String], Int, Int) = ([], 0, 0)
      while true {
        let isAtEnd = end == content.count
        while let record = cutter.next(in: content[first..<end], isAtEnd: isAtEnd) {
          let bytes = content[first + record.start..<first + record.end]
          found.append("\(record.line) \(bytes.text)")
        }
        if isAtEnd { break }
        if drops {
          let settled = cutter.settled
          cutter.drop(settled)
          first += settled
        }
        end = min(end + step, content.count)
      }
      #expect(found == expected, "\(text), steps of \(step)")
    }
  }
}
