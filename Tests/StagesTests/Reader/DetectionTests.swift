import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Dialects that want the member they are called by.
private protocol ByOneMember: RecordDialect {}

extension ByOneMember {
  static var marks: [StaticString] { [name] }

  static func evidence(in line: LineMembers) -> Evidence? {
    line.node(ByteView(name)) != nil ? Evidence(name) : nil
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
  private func detect(_ line: String, asked: UInt32 = .max) -> String {
    withBatch(of: line) { batch, root in
      let members = RootMembers()
      members.read(root, of: batch)
      let line = LineMembers(root: members, tape: batch.tape)
      switch Detection(line, among: [Red.self, Blue.self, Green.self], asked: asked) {
      case .found(let number, let evidence):
        return "\(number) " + evidence.members.map { "\($0)" }.joined(separator: " ")
      case .ambiguous(let one, let other): return "\(one) or \(other)"
      case .unknown: return "unknown"
      }
    }
  }

  @Test func theFirstThatClaimsALineHasIt() {
    #expect(detect(#"{"blue":1}"#) == "1 blue")
    #expect(detect(#"{"blue":1,"red":1}"#) == "0 red")
    #expect(detect(#"{"green":1,"blue":1}"#) == "1 blue")
    #expect(detect(#"{"black":1}"#) == "unknown")
    #expect(detect(#"{"blue":1,"red":1}"#, asked: 0b110) == "1 blue", "red is not asked")
  }

  @Test func aLineThatTwoRivalsClaimIsAmbiguous() {
    #expect(detect(#"{"green":1,"red":1}"#) == "0 or 2")
    #expect(detect(#"{"green":null,"red":1}"#) == "0 red")
    #expect(detect(#"{"green":1,"blue":1,"red":null}"#) == "1 blue")
  }

  @Test func membersThatAreNullAreAbsentAndTheLastOfRepeatedOnesCounts() {
    withBatch(of: #"{"x":1,"x":2,"y":1,"y":null,"name":"n","time":null}"#) { batch, root in
      let members = RootMembers()
      members.read(root, of: batch)
      let line = LineMembers(root: members, tape: batch.tape)
      #expect(line.node("x").map { batch.tape.bytes(at: $0).text } == "2")
      #expect(line.node("y") == nil && line.node("z") == nil)
      #expect(line.has(.name) && !line.has(.time) && line.node(.time) == nil)
    }
  }

  /// v1 and v2 are told without asking others: nothing of theirs may be a mark.
  @Test func theRegistry() {
    let all = DialectRegistry.all
    #expect(Set(all.map { "\($0.name)" }).count == all.count)
    #expect(all.count <= DialectRegistry.most)
    #expect(all.first == V2Dialect.self && Dialect.v2.name == "v2" && Dialect.v1.name == "v1")
    #expect(Dialect.allCases.map(\.name) == all.map { "\($0.name)" })
    for dialect in all {
      #expect(Dialect(named: "\(dialect.name)")?.name == "\(dialect.name)")
      #expect(dialect.marks.isEmpty == (dialect.form != .drafted), "\(dialect.name)")
      for mark in dialect.marks {
        #expect(RootMember(ByteView(mark)) == nil, "\(mark)")
        #expect(DialectRegistry.marked(by: ByteView(mark)) != 0)
      }
    }
    #expect(Dialect(named: "auto") == nil && Dialect(named: "V1") == nil)
    #expect(DialectRegistry.marked(by: "name") == 0 && DialectRegistry.marked(by: "") == 0)
  }

  /// A line that only its own dialect could make something of, with more names than have numbers.
  @Test func marksAreSeenAmongMoreNamesThanAreRemembered() throws {
    let many = (0..<3000).map { "\"k\($0)\":0" }.joined(separator: ",")
    let found = try StageHarness().explain(#"{\#(many),"action":["batch.deeplink"]}"#)
    #expect(found.value["dialect"]?.text == "action" && found.outcome == "accepted")
  }
}
