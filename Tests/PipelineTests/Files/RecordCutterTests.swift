import TestSupport
import Testing

@testable import Pipeline

@Suite struct RecordCutterTests {
  /// What an input is, by its beginning (data-model 2).
  @Test(arguments: [
    ("", "lines"), ("\n \t\r\n", "lines"), ("{\"a\":1}\n", "lines"), ("text\n[", "lines"),
    ("{\"a\":1}\n{\n", "lines"), ("{\"a\":1}\n[\n", "lines"), ("{\"a\":\n{\"b\":1}\n", "lines"),
    ("{\"a\":1,\r\n\n{\"b\":1}\n", "lines"),
    // A line feed within a string is that of a torn line.
    ("{\"a\":\"b\n \"c\":1}\n", "lines"), ("{\n", "lines"), ("{", "lines"), ("1\n", "lines"),
    ("[", "array"), ("\n\r [{}]", "array"), ("[\n{}", "array"), ("[\n {}", "array"),
    ("{\n \"a\":1", "objects"), ("{\r\n\t\"a\":1", "objects"),
    ("{\"a\":{\n\"b\":1}}", "objects"), ("\n{\n\n\"", "objects"),
    ("{\"a\":\"\\\"{\",\n\"", "objects"),
  ]) func detectsTheForm(_ text: String, _ expected: String) {
    let found = withByteView(of: Array(text.utf8)) { RecordCutter.detect($0, isAtEnd: true) }
    let name =
      switch found {
      case .lines: "lines"
      case .unknown: "unknown"
      case .records(let form): form == .array ? "array" : "objects"
      }
    #expect(name == expected)
  }

  @Test(arguments: ["", "  \n", "{", "{\"a\":1}", "{\n"])
  func waitsForTheSecondLine(_ text: String) {
    let found = withByteView(of: Array(text.utf8)) { RecordCutter.detect($0, isAtEnd: false) }
    #expect(found == .unknown)
  }

  @Test(arguments: [
    ("[]", []), ("[\n]\n", []), ("[{},{}]", ["1 {}", "1 {}"]),
    ("[{}\n,\r\n {} ]", ["1 {}", "3 {}"]),
    // A trailing comma has no record behind it; two records without a comma are one text.
    ("[{},,{},]", ["1 {}", "1 {}"]), ("[{} {}]", ["1 {} {}"]),
    ("[1,\"a,]\\\"\",[2,3],{\"b\":[{}]}]", ["1 1", "1 \"a,]\\\"\"", "1 [2,3]", "1 {\"b\":[{}]}"]),
    // Several arrays, and lines behind them.
    ("[{}]\n[{}][{}]\n{}\nx\n", ["1 {}", "2 {}", "2 {}", "3 {}", "4 x"]),
    ("[{}],{}\n[{}]", ["1 {}", "1 ,{}", "2 {}"]),
    // Arrays that end early.
    ("[", ["1 ["]), ("\n[\n", ["2 ["]), ("[{}", ["1 {}"]), ("[{},", ["1 {}"]),
    ("[{\"a", ["1 {\"a"]),
    // Objects: whole lines, until their brackets are closed.
    ("{\n}\n\n{\n\"a\":[\n]}\n{}\n", ["1 {\n}", "4 {\n\"a\":[\n]}", "7 {}"]),
    ("{\n} {\n}\nx\n]\n{}", ["1 {\n} {\n}", "4 x", "5 ]", "6 {}"]),
    ("{\n\"{\":\"}\\\\\"\n} \t\r\n{\n}", ["1 {\n\"{\":\"}\\\\\"\n}", "4 {\n}"]),
    // Whatever the white space, JSON is one record.
    ("{\n \"a\":\n{\n \"b\":1\n}}", ["1 {\n \"a\":\n{\n \"b\":1\n}}"]),
    ("[{\n \"a\":\n[\n{}\n,\n{}\n]\n}]", ["1 {\n \"a\":\n[\n{}\n,\n{}\n]\n}"]),
    // A torn record leaves the next ones whole, if they cannot be within it.
    ("{\n\"a\":1\n{\n\"b\":1\n}", ["1 {\n\"a\":1", "3 {\n\"b\":1\n}"]),
    ("{\n\"a\":[\n{\n\"b\":1\n}\n]\n}", ["1 {\n\"a\":[\n{\n\"b\":1\n}\n]\n}"]),
    ("{\n\"a\":\"b\n}\n{\n}", ["1 {\n\"a\":\"b\n}", "4 {\n}"]),
    ("[\n{\"a\":\"b,\n{},\n{}\n]", ["2 {\"a\":\"b,", "3 {}", "4 {}"]),
    ("[\"a\",\"b\n{}\n{}\n", ["1 \"a\"", "1 \"b", "2 {}", "3 {}"]),
    ("[\n {\n  \"a\":{}\n ,\n {}\n]", ["2 {\n  \"a\":{}\n ,", "5 {}"]),
    ("{\"a\":1,\n \"b\":[\n{},\n{}\n]}\n", ["1 {\"a\":1,\n \"b\":[\n{},\n{}\n]}"]),
    ("[\n {\n  \"a\":1\n[\n {}\n]", ["2 {\n  \"a\":1", "5 {}"]),
    ("[{\"a\":1,\n  {\"b\":1},\n  {}]", ["1 {\"a\":1,", "2 {\"b\":1}", "3 {}"]),
    // An object further to the right is one of the record's own.
    ("[{\"i\":[{}\n{}\n]},\n{}]", ["1 {\"i\":[{}\n{}\n]}", "4 {}"]),
    (
      "[\n {\n  \"a\":[\n   {}\n   {}\n  ]\n },\n {}]",
      ["2 {\n  \"a\":[\n   {}\n   {}\n  ]\n }", "8 {}"]
    ),
    ("{\n \"a\":1\n {\n }\n}\n{}", ["1 {\n \"a\":1\n {\n }\n}", "6 {}"]),
  ]) func findsRecords(_ text: String, _ expected: [String]) {
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
      #expect(found == expected, "steps of \(step)")
    }
  }
}
