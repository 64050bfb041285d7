@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ErasureRequestsTests {
  private static func read(_ text: String) throws -> ErasureRequests {
    let scratch = try ScratchDirectory()
    return try ErasureRequests(reading: scratch.write(text, to: "requests.ndjson"))
  }

  private static func mark(_ key: String, of requests: ErasureRequests) -> Erasures.Mark? {
    withByteView(of: Array(key.utf8)) { requests.erasures.mark(of: $0) }
  }

  @Test func everyFormIsRead() throws {
    let requests = try Self.read(
      #"{"custom_id":"anna"}"# + "\n\n"
        + #"{"installation_id":"7a0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa","time":"2024-06-01T00:00:00Z"}"#
        + "\r\n" + #"{"custom_id":"bob","forever":true}"# + "\n"
        + #"{"forever":false,"installation_id":"I","time":1717200000000}"#)
    #expect(requests.requests.count == 4)
    // Only UUIDs have no case.
    for (key, mark) in [
      ("custom:anna", .init(time: nil, isForever: false, request: 1)),
      (
        "install:7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA",
        .init(time: 1_717_200_000_000, isForever: false, request: 2)
      ),
      ("custom:bob", .init(time: nil, isForever: true, request: 3)),
      ("install:I", .init(time: 1_717_200_000_000, isForever: false, request: 4)),
      ("install:i", nil), ("install:anna", nil),
    ] as [(String, Erasures.Mark?)] { #expect(Self.mark(key, of: requests) == mark, "\(key)") }
    #expect(try Self.read("").requests.isEmpty && Self.read("\n \n").erasures.isEmpty)
  }

  /// Fields that are null, a byte order mark, escapes, and numbers as in logs. Of several requests
  /// for one id the widest counts.
  @Test(arguments: [
    (
      "\u{FEFF}" + #"{"custom_id":null,"installation_id":"I","time":null,"forever":null}"#,
      "install:I", nil
    ),
    (
      #"{"custom_id":"\u0061nna \"b\"","time":"2099-12-31T23:59:59.999Z"}"#, #"custom:anna "b""#,
      4_102_444_799_999
    ),
    (#"{"custom_id":"a","time":1.7172000000005e12}"#, "custom:a", 1_717_200_000_000),
    (#"{"custom_id":17}"#, "custom:17", nil),
    ("\(june1)\n\(june2)", "custom:u", 1_717_286_400_000),
    ("\(june2)\n\(june1)", "custom:u", 1_717_286_400_000),
  ])
  func oneMark(_ text: String, _ key: String, _ time: Int?) throws {
    let mark = Self.mark(key, of: try Self.read(text))
    #expect(mark?.time == time ?? .min && mark?.isMomentary == (time == nil))
  }

  private static let june1 = #"{"custom_id":"u","time":"2024-06-01T00:00:00Z"}"#
  private static let june2 = #"{"custom_id":"u","time":"2024-06-02T00:00:00Z"}"#

  /// The hints say nothing of `date(…)`, which requests do not have.
  @Test func badTimesGetAHint() {
    for (time, why) in [
      (
        #""1714521600000""#,
        "not a time: this looks like a number in quotes: "
          + "write it without them, in milliseconds since 1970"
      ),
      (
        "1717200000.5",
        "outside the years 2000 to 2099: the number looks like seconds, "
          + "milliseconds are expected: multiply it by 1000"
      ),
    ] {
      let failure = #expect(throws: Failure.self) {
        try Self.read(#"{"custom_id":"u","time":\#(time)}"#)
      }
      #expect(failure?.why == "its time is \(why)")
    }
  }

  /// It was to be restored from a copy.
  @Test func aDirectoryInPlaceOfAFileIsNotOneToRestore() throws {
    let scratch = try ScratchDirectory()
    let loads: [(String) throws -> Void] = [
      { _ = try ErasureRequests(reading: $0) }, { _ = try PlaceholderFile.load($0) },
      { _ = try MappingFiles.load([$0]) },
    ]
    for load in loads {
      let failure = #expect(throws: Failure.self) { try load(scratch.path) }
      #expect(failure?.kind == .usage && failure?.why == "it is a directory, not a file")
      #expect(failure?.remedies == ["name a file"])
    }
  }

  @Test(arguments: [
    "anna", "[]", "{}", #"{"custom_id":""}"#, #"{"custom_id":5.0}"#, #"{"custom_id":null}"#,
    #"{"installation_id":5}"#,
    #"{"custom_id":"a","installation_id":"b"}"#, #"{"customid":"a"}"#,
    #"{"custom_id":"a","for_ever":true}"#, #"{"custom_id":"a","forever":"yes"}"#,
    #"{"custom_id":"a","time":"yesterday"}"#, #"{"custom_id":"a","time":1717200000}"#,
    #"{"custom_id":"a","time":"2024-06-01T00:00:00Z","forever":true}"#, "{\"custom_id\":\"\u{0}\"}",
    #"{"custom_id":"\n"}"#, #"{"custom_id":" "}"#, #"{"installation_id":"a b"}"#,
    #"{"custom_id":"a","custom_id":"a"}"#, #"{"custom_id":"a","time":"2100-01-01T00:00:00Z"}"#,
    #"{"custom_id":"a","time":"1999-12-31T23:59:59Z"}"#,
    #"{"custom_id":"a","time":"2024-02-30T00:00:00Z"}"#,
    #"{"custom_id":"a"} {"custom_id":"b"}"#,
  ])
  func whatIsNoRequestIsRefusedWithItsLine(line: String) {
    let failure = #expect(throws: Failure.self) {
      try Self.read(#"{"custom_id":"first"}"# + "\n" + line + "\n")
    }
    #expect(failure?.kind == .usage && failure?.line == 2)
  }

  /// The later times count, whichever night a mark is of.
  @Test func marksOfAKeyHaveTheLaterTimes() {
    var (one, other) = (Erasures.Mark(deviceTime: 5), Erasures.Mark(time: 3, isForever: false))
    let earlier = Erasures.Mark(deviceTime: 2)
    one.merge(earlier)
    other.merge(Erasures.Mark(deviceTime: 5))
    other.merge(earlier)
    #expect(one.covers(5) && !one.covers(6) && !one.coversOwn(2))
    #expect(other.covers(5) && other.coversOwn(3) && !other.coversOwn(4))
  }
}
