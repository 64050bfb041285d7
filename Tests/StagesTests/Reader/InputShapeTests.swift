import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What inputs that are not logs look like: `Golden/input-shapes.txt` has the words.
@Suite struct InputShapeTests {
  /// Beginnings of files, some of them cut within a signature or a character.
  private static let starts: [[UInt8]] =
    [
      "", "id,name\n1,seen\n", #"{"name":"a"}{"name":"b"}"#, #""{\"name\":\"a\"}""#,
      "{'name': 'a'}",
      #"2024-05-01 INFO {"name":"é"}"#, "<34>Oct 11 22:14:15 host su: failed", "PAR1\u{15}\u{4}",
      "level=info msg=started", "\u{1E}{\"name\":1}", "\n \n\nid,name", "{\"a\":",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xD8, 0xFF], [0xFF, 0xFE], [0xFF, 0xFE, 0, 0], Array("caf".utf8) + [0xE9],
      [UInt8](repeating: 0, count: 250), [UInt8](repeating: 0, count: 257) + Array("ustar".utf8),
      "{\"name\":1}".utf8.flatMap { [$0, 0] }, "{\"name\":1}".utf8.flatMap { [0, 0, 0, $0] },
    ]

  /// For any bytes there are words, and nothing is read behind their end.
  @Test func anyBytesHaveWords() {
    var random = RepeatableRandom(seed: UInt64.random(in: 0...UInt64.max))
    for start in Self.starts {
      for length in 0...start.count { expectWords(Array(start.prefix(length))) }
      for _ in 0..<Effort.rounds(50, of: 2000) { expectWords(Mutations.mutate(start, &random)) }
    }
    for _ in 0..<Effort.rounds(500, of: 20_000) {
      let count = Int.random(in: 0...300, using: &random)
      expectWords((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
  }

  private func expectWords(_ bytes: [UInt8]) {
    withByteView(of: bytes) { start in
      for code in [ReasonCode.invalidJSON, .invalidUTF8, .notObject, .lineTooLong, .tooDeep] {
        #expect(!InputShape(start, code, message: "").words.isEmpty, "\(bytes)")
      }
      #expect(!InputShape(of: start).sentence.isEmpty, "\(bytes)")
    }
  }
}
