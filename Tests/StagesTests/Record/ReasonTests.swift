import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every reason code and every loss code has a smallest line that leads to it (data-model 17).
@Suite struct ReasonTests {
  /// One line that has one reason.
  struct Case: CustomStringConvertible {
    let code: ReasonCode
    let line: String
    /// `SCOPE:INDEX PATH`.
    let position: String
    var rules = Rules()

    var description: String { "\(code.text): \(line.prefix(120))" }

    init(_ code: ReasonCode, _ position: String, _ line: String) {
      self.code = code
      self.position = position
      self.line = line
    }

    init(_ code: ReasonCode, _ position: String, _ line: String, _ change: (inout Rules) -> Void) {
      self.init(code, position, line)
      change(&rules)
    }

    /// A v2 line with one event that has these attributes.
    init(v2 code: ReasonCode, _ position: String, _ attributes: String) {
      self.init(
        code, "event:0 \(position)",
        #"{"identifiers":{},"events":[{"name":"n","time":\#(Sample.time),"attributes":\#(attributes)}]}"#
      )
    }

    /// A v1 event with these fields.
    init(v1 code: ReasonCode, _ position: String, _ members: String) {
      self.init(code, "event:0 \(position)", #"{"name":"n","time":\#(Sample.time),\#(members)}"#)
    }

    /// An update of one attribute.
    init(operation code: ReasonCode, _ position: String, _ member: String) {
      self.init(
        code, "operation:0 \(position)",
        #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{\#(member)}}"#)
    }
  }

  static let lineCases: [Case] = [
    Case(.invalidJSON, "line:0 ", "{"),
    Case(.notObject, "line:0 ", "1"),
    Case(.badAction, "line:0 action", #"{"action":[]}"#),
    Case(.unmappedLine, "line:0 ", #"{"a":1}"#) {
      $0.mappings =
        (try? Rules(
          mappings: #"""
            {"eventmill_mapping":1,"dialect":"a","match":"/a","custom_id":"/u",
             "lines":{"when":"/b","name":"/a"}}
            """#))?.mappings ?? Mappings()
    },
    Case(.tooDeep, "line:0 ", #"{"a":"# + String(repeating: "[", count: 64)),
    Case(.lineTooLong, "line:0 ", "{} ") { $0.maxLine = 2 },
    Case(.unknownDialect, "line:0 ", "{}"),
    Case(.badCustomID, "line:0 identifiers.custom_id", #"{"identifiers":{"custom_id":""}}"#),
    Case(
      .badInstallationID, "line:0 identifiers.installation_id",
      #"{"identifiers":{"installation_id":1}}"#),
    Case(.noIdentity, "line:0 identifiers", #"{"identifiers":1}"#),
    Case(.noIdentity, "line:0 ", #"{"identifiers":{},"attributes":{"a":1}}"#),
    Case(.emptyRecord, "line:0 ", #"{"identifiers":{}}"#),
    Case(.badEvents, "line:0 events", #"{"identifiers":{},"events":1}"#),
    Case(.wrongDialect, "line:0 ", #"{"name":"n","time":\#(Sample.time)}"#) { $0.dialect = .v2 },
  ]

  static let eventCases: [Case] = [
    Case(.missingName, "event:0 name", #"{"identifiers":{},"events":[{"time":\#(Sample.time)}]}"#),
    Case(.badName, "event:0 name", #"{"name":"-","time":\#(Sample.time)}"#),
    Case(.missingTime, "event:0 time", #"{"name":"n"}"#),
    Case(.invalidTime, "event:0 time", #"{"name":"n","time":""}"#),
    Case(.timeOutOfRange, "event:0 time", #"{"name":"n","time":0}"#),
    Case(.outsideWindow, "event:0 time", #"{"name":"n","time":\#(Sample.time)}"#) {
      $0.notAfter = Rules.earliestTime
    },
    Case(.unknownField, "event:0 x", #"{"name":"n","time":\#(Sample.time),"x":1}"#) {
      $0.unknownFields = .reject
    },
    Case(.badEventID, "event:0 id", #"{"name":"n","time":\#(Sample.time),"id":""}"#),
    Case(.wrongType, "event:0 ", #"{"identifiers":{},"events":[1]}"#),
    Case(v2: .badAttributes, "attributes", "1"),
    Case(v2: .badKey, "attributes.-", #"{"-":1}"#),
    Case(v2: .reservedKey, "attributes.$a", #"{"$a":1}"#),
    Case(v2: .wrongType, "attributes.a", #"{"a":null}"#),
    Case(v2: .stringEmpty, "attributes.a", #"{"a":""}"#),
    Case(v2: .stringBlank, "attributes.a", #"{"a":" "}"#),
    Case(v2: .stringTooLong, "attributes.a", #"{"a":"\#(Sample.text(301))"}"#),
    Case(v2: .stringNewline, "attributes.a", #"{"a":"x\ny"}"#),
    Case(v2: .integerOutOfRange, "attributes.a", #"{"a":9223372036854775808}"#),
    Case(v2: .numberOutOfRange, "attributes.a", #"{"a":1e999}"#),
    Case(v2: .dateInvalid, "attributes.date(a)", #"{"date(a)":"x"}"#),
    Case(v2: .urlInvalid, "attributes.url(a)", #"{"url(a)":""}"#),
    Case(v2: .urlTooLong, "attributes.url(a)", #"{"url(a)":"a://\#(Sample.text(2045))"}"#),
    Case(v2: .arrayTooLong, "attributes.a", #"{"a":\#(Sample.strings(26))}"#),
    Case(v2: .arrayMixed, "attributes.a", #"{"a":["x",{}]}"#),
    Case(v2: .arrayNested, "attributes.a[0]", #"{"a":[[]]}"#),
    Case(v2: .tooNested, "attributes.a.b.c.d", #"{"a":{"b":{"c":{"d":{}}}}}"#),
    Case(v2: .tooManyAttributes, "attributes", Sample.members(21)),
    Case(v2: .labelTooLong, "attributes.$label", #"{"$label":"\#(Sample.text(201))"}"#),
    Case(v2: .labelBlank, "attributes.$label", #"{"$label":""}"#),
    Case(v2: .labelNewline, "attributes.$label", #"{"$label":"x\ny"}"#),
    Case(v2: .tooManyTags, "attributes.$tags", #"{"$tags":\#(Sample.strings(11))}"#),
    Case(v2: .tagTooLong, "attributes.$tags[0]", #"{"$tags":["\#(Sample.text(65))"]}"#),
    Case(v2: .tagBlank, "attributes.$tags[0]", #"{"$tags":[""]}"#),
    Case(v2: .tagNewline, "attributes.$tags[1]", #"{"$tags":["x","x\ny"]}"#),
    Case(v1: .typeNotInV1, "attributes.a", #""attributes":{"a":[]}"#),
    Case(v1: .typeNotInV1, "attributes.url(a)", #""attributes":{"url(a)":1}"#),
    Case(v1: .labelTooLong, "label", #""label":"\#(Sample.text(201))""#),
    Case(v1: .tooManyTags, "tags", #""tags":\#(Sample.strings(11))"#),
    Case(v1: .tagBlank, "tags[0]", #""tags":[""]"#),
    Case(v1: .reservedKey, "attributes.$label", #""attributes":{"$label":"x"}"#),
    Case(v1: .tooManyAttributes, "attributes", #""attributes":\#(Sample.members(16))"#),
  ]

  static let operationCases: [Case] = [
    Case(operation: .badKey, "attributes.-", #""-":1"#),
    Case(operation: .arrayTooLong, "attributes.a.$add", #""a":{"$add":\#(Sample.strings(26))}"#),
    Case(operation: .wrongType, "attributes.a[0]", #""a":[1]"#),
    Case(operation: .arrayNested, "attributes.a.$remove[0]", #""a":{"$remove":[[]]}"#),
    Case(
      .needsCustomID, "operation:0 attributes.$email_address",
      #"{"identifiers":{"installation_id":"i"},"time":\#(Sample.time),"attributes":{"$email_address":1}}"#
    ),
    Case(
      .needsInstallationID, "operation:0 opted_out",
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"opted_out":true}"#),
    Case(
      .locationInvalid, "operation:0 location",
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"location":{"latitude":1,"longitude":181}}"#
    ),
    Case(operation: .emailInvalid, "attributes.$email_address", #""$email_address":"x""#),
    Case(operation: .phoneInvalid, "attributes.$phone_number", #""$phone_number":"1""#),
    Case(operation: .subscriptionInvalid, "attributes.$sms_marketing", #""$sms_marketing":"""#),
    Case(operation: .languageInvalid, "attributes.$language", #""$language":"f""#),
    Case(operation: .regionInvalid, "attributes.$region", #""$region":" f ""#),
    Case(operation: .unknownReservedKey, "attributes.$a", #""$a":1"#),
    Case(operation: .emptyOperation, "attributes.a", #""a":[]"#),
    Case(
      operation: .topicInvalid, "attributes.$topic_preferences[0]", #""$topic_preferences":["-"]"#),
    Case(
      .missingTime, "operation:0 time", #"{"identifiers":{"custom_id":"u"},"attributes":{"a":1}}"#),
    Case(
      .wrongType, "operation:0 overwrite",
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"overwrite":1}"#),
    Case(
      .badAttributes, "operation:0 attributes",
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":1}"#),
  ]

  @Test(arguments: lineCases + eventCases + operationCases)
  func smallestLine(_ example: Case) throws {
    let line = try StageHarness().explain(example.line, example.rules)
    #expect(line.reasons == ["\(example.position) \(example.code.text)"])
    #expect(line.outcome == "rejected" && line.canonical == nil)
  }

  @Test func invalidUTF8HasASmallestLine() throws {
    let line = try #require(try StageHarness().explain([0x22, 0xFF, 0x22, 0x0A]).first)
    #expect(line.reasons == ["line:0  invalid_utf8"])
  }

  @Test func everyCodeIsAmongTheCases() {
    var codes = Set(
      (ReasonTests.lineCases + ReasonTests.eventCases + ReasonTests.operationCases)
        .map(\.code))
    codes.insert(.invalidUTF8)
    // A reason that only driving again has: RedriveJobConcurrencyTests.
    codes.insert(.partMissing)
    // No two of the dialects claim one line: DetectionTests.
    codes.insert(.ambiguousDialect)
    // Those of foreign dialects are losses first of all; the vectors of these dialects have them.
    for code in ReasonCode.allCases
    where code.rawValue < ReasonCode.notMeasurementEvent.rawValue {
      let isLossOnly = [
        .aliasIgnored, .reservedKeyInV1, .rootLabelIgnored, .rootTagsIgnored,
        .actionAttributeSkipped, .actionTagSkipped,
      ].contains(code)
      #expect(codes.contains(code) != isLossOnly, "\(code.text)")
    }
  }

  @Test func codesAreSpelledInLowerCaseAndEachOnce() {
    let texts = ReasonCode.allCases.map(\.text)
    #expect(Set(texts).count == texts.count)
    #expect(
      texts.allSatisfy { $0.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_:.".contains($0) } })
  }

  /// Rows are in the order of the cases: the row of `badKey` is that of `bad_key`.
  @Test func everyRowIsThatOfItsCase() {
    let letters = { (text: String) in text.lowercased().filter { $0.isLetter || $0.isNumber } }
    for code in ReasonCode.allCases {
      #expect(letters("\(code)") == letters(code.text))
      #expect(ReasonCode(code.text) == code)
    }
    #expect(ReasonCode("no_such_code") == nil)
  }

  /// Every code has a sentence, and every name in braces is a figure.
  @Test func everyCodeHasAMessage() {
    var messages = Set<String>()
    for code in ReasonCode.allCases {
      var list = ReasonList()
      list.add(code, at: "attributes.a", limit: 3, actual: 4)
      let message = list[0].message(at: "attributes.a")
      #expect(message.count > 10 && !message.contains("{") && !message.contains("|"), "\(message)")
      #expect(!message.contains("  ") && !message.hasPrefix("="), "\(message)")
      messages.insert(message)
    }
    #expect(messages.count > 40)
  }

  /// Sections 17 and 18 of data-model have a line for each code, under the scope of its row.
  @Test func theDocumentNamesEveryCode() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = try String(
      contentsOf: tests.appending(path: "../../../docs/reference/data-model.md"), encoding: .utf8)
    let reasons = try #require(page.firstRange(of: "\n## 17. Reason codes\n"))
    let losses = try #require(page.firstRange(of: "\n## 18. Loss codes\n"))
    let headings: [(String, ReasonCode.Scope)] = [
      ("**Lines**", .line), ("**Events**", .event), ("**Values", .value),
      ("**Operations**", .operation),
    ]
    var named: [ReasonCode.Scope: Set<String>] = [:]
    var scope = ReasonCode.Scope.loss
    for line in page[reasons.upperBound..<losses.lowerBound].split(separator: "\n") {
      if let heading = headings.first(where: { line.hasPrefix($0.0) }) { scope = heading.1 }
      named[scope, default: []].formUnion(Self.codes(in: line))
    }
    for (_, scope) in headings {
      #expect(named[scope] == Set(ReasonCode.allCases.filter { $0.scope == scope }.map(\.text)))
    }
    let end = page[losses.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? page.endIndex
    let rows = page[losses.upperBound..<end].split(separator: "\n").map(Self.codes)
    let lost = rows.flatMap(\.self)
    for code in lost where !code.hasSuffix(":PART") { #expect(ReasonCode(code) != nil, "\(code)") }
    for code in ReasonCode.allCases where code.scope == .loss {
      let kind = code.text.prefix { $0 != ":" } + ":PART"
      #expect(lost.contains(code.text) || lost.contains(String(kind)), "\(code.text)")
    }
    // Of foreign dialects: the first four codes, and no other, reject under --foreign strict.
    let foreign = try #require(rows.firstIndex { $0 == ["string_truncated"] })
    for (row, code) in rows[foreign...].prefix(while: { !$0.isEmpty }).joined().enumerated() {
      #expect(ReasonCode(code)?.isCut == (row < 4), "\(code)")
    }
  }

  /// The codes in the first cell of a row of a table.
  private static func codes(in line: Substring) -> [String] {
    guard line.hasPrefix("| `") else { return [] }
    let cell = line.dropFirst().prefix { $0 != "|" }
    return cell.split(separator: "`").map(String.init).filter { $0.first?.isLetter == true }
  }

  @Test func aTimeInSecondsIsExplained() throws {
    let line = try StageHarness().explain(#"{"name":"n","time":1714521600}"#)
    let message = line.value["events"]?[0]?["reasons"]?[0]?["message"]?.text
    #expect(message?.contains("looks like seconds") == true)
  }

  @Test func figuresStandBesideTheCode() throws {
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"label":"\#(Sample.text(240))"}"#)
    let reason = try #require(line.value["events"]?[0]?["reasons"]?[0])
    #expect(reason["limit"]?.integer == 200 && reason["actual"]?.integer == 240)
    #expect(reason["message"]?.text == "label has 240 characters; the limit is 200")
  }
}
