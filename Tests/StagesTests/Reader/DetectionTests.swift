import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Dialects that are detected by a field with their own name.
private protocol ByOneMember: RecordDialect {
  static var name: StaticString { get }
}

extension ByOneMember {
  static func evidence(in line: LineFields) -> StaticString? {
    line.node(ByteView(name)) != nil ? name : nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {}
}

private enum Red: ByOneMember {
  static let name: StaticString = "red"
  static var rivals: [any RecordDialect.Type] { [Green.self] }
}

private enum Blue: ByOneMember { static let name: StaticString = "blue" }

private enum Green: ByOneMember { static let name: StaticString = "green" }

/// Which dialect a line is of (dialects 1); `Vectors/detection.jsonl` has the lines of the real
/// ones.
@Suite struct DetectionTests {
  private func detect(_ line: String) -> String {
    withBatch(of: line) { batch, root in
      let members = RootFields()
      members.read(root, of: batch)
      let line = LineFields(root: members, batch: batch)
      let dialects: [any RecordDialect.Type] = [Red.self, Blue.self, Green.self]
      switch Detection(line, among: dialects) {
      case .found(let number): return "\(number) \(dialects[number].evidence(in: line) ?? "")"
      case .ambiguous(let one, let other): return "\(one) or \(other)"
      case .unknown: return "unknown"
      }
    }
  }

  @Test(arguments: [
    // The first that claims a line has it, unless a rival claims it too.
    (#"{"blue":1}"#, "1 blue"), (#"{"blue":1,"red":1}"#, "0 red"),
    (#"{"green":1,"blue":1}"#, "1 blue"), (#"{"black":1}"#, "unknown"),
    (#"{"green":1,"red":1}"#, "0 or 2"), (#"{"green":null,"red":1}"#, "0 red"),
    (#"{"green":1,"blue":1,"red":null}"#, "1 blue"),
    // Of repeated fields the last counts.
    (#"{"blue":1,"red":1,"red":null}"#, "1 blue"), (#"{"blue":null,"blue":1}"#, "1 blue"),
  ])
  func dialects(line: String, found: String) { #expect(detect(line) == found) }

  @Test func theRegistry() {
    let readers = DialectRegistry.all
    #expect(Set(Dialect.allCases.map(\.name)).count == readers.count)
    #expect(Dialect.v2.name == "v2" && Dialect.v1.name == "v1")
    #expect(readers.map { "\($0)".lowercased() } == Dialect.allCases.map { "\($0.name)dialect" })
    for dialect in Dialect.allCases {
      #expect(Dialect(named: dialect.name) == dialect)
      for field in dialect.row.identifyingFields {
        #expect(Dialect.candidates(field.bit) & 1 << UInt32(dialect.number) != 0, "\(field)")
      }
    }
    #expect(Dialect(named: "auto") == nil && Dialect(named: "V1") == nil)
  }

  /// A line that only its own dialect could make something of, with more names than have numbers.
  @Test func fieldsAreSeenAmongMoreNamesThanAreRemembered() throws {
    let many = (0..<3000).map { "\"k\($0)\":0" }.joined(separator: ",")
    let found = try StageHarness().explain(#"{\#(many),"action":["batch.deeplink"]}"#)
    #expect(found.value["dialect"]?.text == "action" && found.outcome == "accepted")
  }
}
