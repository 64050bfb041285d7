import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What inputs that are not logs look like.
@Suite struct InputShapeTests {
  /// The words for an input that begins with these bytes, by the reason of its first line.
  private func shape(of bytes: [UInt8]) -> InputShape {
    let unit = WorkUnit(blockSize: 1 << 12, shards: 1)
    unit.block.content.append(contentsOf: bytes + [0x0A])
    unit.block.seal()
    var reader = ReaderStage(rules: Rules())
    reader.process(unit)
    let lines = unit.batch.lines.indices.map { unit.batch.lines[$0] }
    guard let line = lines.first(where: { $0.outcome == .rejected }) else {
      return InputShape("", .invalidJSON, message: "")
    }
    let reason = unit.batch.reasons[Int(line.reasons.start)]
    return InputShape(
      unit.block.bytes.dropFirst(Int(line.start)), reason.code,
      message: unit.batch.reasons.message(of: reason))
  }

  @Test(arguments: [
    ("id,name,time\n1,seen,2024-05-01\n", "CSV", "mlr --icsv"),
    ("id;name\n", "CSV", "mlr --icsv"),
    ("id\tname\n", "a table with tabs", "mlr --itsv"),
    (#"{"name":"a"}{"name":"b"}"#, "JSON objects without line feeds between them", "jq -c ."),
    ("{\"name\":\"a\"},\n{\"name\":\"b\"},\n", "JSON objects followed by commas", "sed"),
    (#""{\"name\":\"a\"}""#, "JSON inside of JSON strings", "jq -c fromjson"),
    ("{'name': 'a'}", "dictionaries of Python", "json.dumps"),
    (#"2024-05-01 INFO {"name":"a"}"#, "JSON with other text before it", "sed"),
    ("12\n13\n", "JSON values that are not objects", ""),
    ("<?xml version=\"1.0\"?>", "HTML or XML, perhaps an error page", ""),
    ("<34>Oct 11 22:14:15 host su: failed", "the log of a system (syslog)", ""),
    (#"1.2.3.4 - - [10/Oct/2024] "GET / HTTP/1.1" 200 3"#, "the log of a web server", ""),
    ("level=info msg=started", "lines of names and values", ""),
    ("started", "text", ""),
    ("Dear all, please find the logs attached; thanks", "text", ""),
    ("Dear all, please find", "text", ""),
    ("2024-05-01 12:00:00,123 INFO root started", "text", ""),
    ("first name,last name,e-mail address\n", "CSV", "mlr --icsv"),
    ("id, name, time\n", "CSV", "mlr --icsv"),
    ("{\"a\":", "broken JSON (at byte 5; expected a value)", "explain"),
    ("PAR1\u{15}\u{4}", "a Parquet file", "one object per line"),
    ("\u{7F}ELF\u{2}\u{1}", "a program (ELF)", ""),
    ("%PDF-1.7", "a PDF document", ""),
    ("\u{1E}{\"name\":1}", "a JSON text sequence", "jq --seq"),
    ("\n \n\nid,name", "CSV", "mlr"),
    ("\u{1}\u{2}\u{3}", "binary data", ""),
  ])
  func formsAreTold(text: String, words: String, advice: String) {
    let shape = shape(of: Array(text.utf8))
    #expect(shape.words == words)
    #expect(shape.advice.joined(separator: ", or ").contains(advice) || advice.isEmpty)
  }

  /// The reason of the line and the label both said that it is not JSON.
  @Test func brokenJSONIsCalledThatOnce() {
    let bytes = ByteBuffer(text: "{\"a\" 1}")
    #expect(InputShape(of: bytes.view).words == "broken JSON (at byte 5: expected a colon)")
  }

  @Test func bytesAreTold() {
    for (encoding, words) in [
      (String.Encoding.utf16, "UTF-16"), (.utf16LittleEndian, "UTF-16LE"),
      (.utf16BigEndian, "UTF-16BE"), (.utf32LittleEndian, "UTF-32LE"),
    ] {
      let shape = shape(of: Array(#"{"name":"a"}"#.data(using: encoding) ?? Data()))
      #expect(shape.words == words && shape.advice[0].contains("iconv -f UTF-"))
    }
    let zeros = [UInt8](repeating: 0, count: 249)
    for (bytes, words) in [
      ([0xFF, 0xD8, 0xFF, 0xE0], "an image (JPEG)"), (zeros, "a file of zero bytes"),
      (Array("caf".utf8) + [0xE9], "text in another encoding than UTF-8"),
      (Array("a.ndjson".utf8) + zeros + Array("ustar".utf8), "a tar archive"),
    ] { #expect(shape(of: bytes).words == words) }
  }

  @Test func fieldsAreNamedAndTheirValuesAreNot() {
    let names = (1...10).map { "\"k\($0)\":\"value\"" }.joined(separator: ",")
    let long = String(repeating: "é", count: 30)
    let words = shape(of: Array("{\"\(long)\":null,\(names)}".utf8)).words
    #expect(words.contains("v1 by update, name, events"))
    #expect(words.contains("it has \(String(repeating: "é", count: 20))…, k1, k2,"))
    #expect(words.contains("k7 and 3 more") && !words.contains("value"))
    #expect(shape(of: Array("{}".utf8)).words.contains("it has no fields"))
  }
}
