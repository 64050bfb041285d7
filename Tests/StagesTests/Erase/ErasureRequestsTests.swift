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
    #expect(
      Self.mark("custom:anna", of: requests) == .init(time: .max, isForever: false, request: 1))
    let upper = "install:7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"
    #expect(
      Self.mark(upper, of: requests)
        == .init(time: 1_717_200_000_000, isForever: false, request: 2))
    #expect(Self.mark("custom:bob", of: requests)?.isForever == true)
    #expect(Self.mark("install:I", of: requests)?.time == 1_717_200_000_000)
    #expect(Self.mark("install:i", of: requests) == nil, "only UUIDs have no case")
    #expect(Self.mark("install:anna", of: requests) == nil)
    #expect(Self.mark("custom:17", of: try Self.read(#"{"custom_id":17}"#)) != nil)
  }

  /// What programs write that have nothing to say, and what editors put in front.
  @Test func nullIsAbsentAndAByteOrderMarkIsSkipped() throws {
    let requests = try Self.read(
      "\u{FEFF}" + #"{"custom_id":null,"installation_id":"I","time":null,"forever":null}"# + "\n"
        + #"{"custom_id":"\u0061nna \"b\"","time":"2099-12-31T23:59:59.999Z"}"#)
    #expect(requests.requests.count == 2)
    #expect(Self.mark("install:I", of: requests)?.time == .max)
    #expect(Self.mark("custom:anna \"b\"", of: requests)?.time == 4_102_444_799_999)
    #expect(try Self.read("").requests.isEmpty && Self.read("\n \n").erasures.isEmpty)
  }

  /// It spoke of `date(…)`, which requests do not have.
  @Test func theHintForATimeInQuotesIsOneForRequests() {
    let failure = #expect(throws: Failure.self) {
      try Self.read(#"{"custom_id":"u","time":"1714521600000"}"#)
    }
    #expect(
      failure?.why == "its time is not a time: this looks like a number in quotes: "
        + "write it without them, in milliseconds since 1970")
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

  @Test func ofSeveralRequestsTheWidestCounts() throws {
    let lines = [
      #"{"custom_id":"u","time":"2024-06-01T00:00:00Z"}"#,
      #"{"custom_id":"u","time":"2024-06-02T00:00:00Z"}"#,
    ]
    for lines in [lines, lines.reversed()] {
      let requests = try Self.read(lines.joined(separator: "\n"))
      #expect(Self.mark("custom:u", of: requests)?.time == 1_717_286_400_000)
    }
  }

  /// Numbers as in logs, with the same hints.
  @Test func numbersAreTimesAsInLogs() throws {
    let requests = try Self.read(#"{"custom_id":"a","time":1.7172000000005e12}"#)
    #expect(Self.mark("custom:a", of: requests)?.time == 1_717_200_000_000)
    let failure = #expect(throws: Failure.self) {
      try Self.read(#"{"custom_id":"a","time":1717200000.5}"#)
    }
    #expect(failure?.why.contains("looks like seconds") == true)
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
}
