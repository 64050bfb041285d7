import Foundation
import Pipeline
import TestSupport
import Testing

@Suite struct TimestampTests {
  static func parse(_ text: String) -> Int? { withByteView(of: text, Timestamp.parse) }

  @Test func parsesOrRefuses() {
    for row in Vectors.rows("timestamps") {
      #expect(Self.parse(row[0]?.text ?? "?") == row[1]?.integer, "\(row)")
    }
  }

  /// The short way for canonical texts takes exactly them: with one byte changed to anything, the
  /// text is taken if and only if the general rule takes it and writes it back the same.
  @Test func canonicalTextsAreThoseThatAreWritten() {
    for good in [
      "2024-02-29T23:59:59.999Z", "1900-12-31T00:00:00.000Z", "0001-01-01T00:00:00.000Z",
    ] {
      for position in good.utf8.indices {
        for byte in UInt8.min...UInt8.max {
          var text = Array(good.utf8)
          text[good.utf8.distance(from: good.startIndex, to: position)] = byte
          let (short, long) = withByteView(of: text) {
            (Timestamp.parseCanonical($0), Timestamp.parse($0))
          }
          if let short {
            #expect(short == long && Array(Timestamp.text(short).utf8) == text)
          } else if let long {
            #expect(Array(Timestamp.text(long).utf8) != text, "\(text)")
          }
        }
      }
    }
  }

  @Test func everyYearFollowsTheCalendar() {
    var day = Timestamp.earliest / 86_400_000
    for year in 1...9999 {
      let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
      let name = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
      for (date, offset) in [
        ("01-01", 0), ("02-28", 58), ("03-01", isLeap ? 60 : 59), ("12-31", isLeap ? 365 : 364),
      ] {
        let milliseconds = (day + offset) * 86_400_000
        let text = "\(name)-\(date)T00:00:00.000Z"
        #expect(Timestamp.text(milliseconds) == text)
        #expect(Self.parse(text) == milliseconds)
      }
      day += isLeap ? 366 : 365
    }
    #expect(day * 86_400_000 - 1 == Timestamp.latest)
  }

  @Test(arguments: [51] as [UInt64]) func agreesWithFoundation(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    // From 1583 on: before, Foundation may use the Julian calendar.
    let first = -12_212_553_600_000
    for _ in 0..<1500 {
      let milliseconds = Int.random(in: first...Timestamp.latest, using: &random)
      let seconds = milliseconds / 1000 * 1000
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds / 1000)))
      #expect(Timestamp.text(seconds) == text, "seed \(seed)")
      #expect(Self.parse(Timestamp.text(milliseconds)) == milliseconds, "seed \(seed)")
    }
  }

  /// A reader that has read a day takes the short way for others of it: with one byte changed to
  /// anything, it returns what the general rule returns.
  @Test(arguments: [
    "2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59", "2024-02-29 00:00:00.000Z",
    "1969-12-31T23:59:59.001Z", "2024-02-29T00:00:00.5+02:00", "2024-02-29T00:00:00.000",
  ])
  func aReaderReadsEachTimeAsIfItWereTheFirst(good: String) {
    for position in 0..<good.utf8.count {
      for byte in UInt8.min...UInt8.max {
        var reader = Timestamp.Reader()
        var text = Array(good.utf8)
        text[position] = byte
        let texts = [Array(good.utf8), text, Array(good.utf8), text, Array("2024".utf8)]
        let read = texts.map { withByteView(of: $0) { reader.parse($0) } }
        #expect(read == texts.map { withByteView(of: $0, Timestamp.parse) }, "\(text)")
      }
    }
  }

  @Test func whatHasNoTextTraps() async {
    await #expect(processExitsWith: .failure) { _ = Timestamp.text(Timestamp.latest + 1) }
  }

  /// Days that repeat, follow each other and are far apart. One writer gives the same text as many.
  @Test func aWriterOfManyTimesWritesEachAsIfItWereTheFirst() {
    var random = RepeatableRandom(seed: 6)
    var writer = Timestamp.Writer()
    var time = 0
    for _ in 0..<3000 {
      switch random.next() % 4 {
      case 0: time = Int.random(in: Timestamp.years, using: &random)
      case 1: time += 86_400_000
      case 2: time -= 1
      default: time += Int(random.next() % 100_000)
      }
      time = min(max(time, Timestamp.earliest), Timestamp.latest)
      var buffer = ByteBuffer()
      writer.append(milliseconds: time, to: &buffer)
      #expect(buffer.view.text == Timestamp.text(time), "seed 6")
    }
  }
}
