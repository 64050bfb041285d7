import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Cached names equal names that are computed again.
@Suite struct ForeignNamesTests {
  private func info(_ names: ForeignNames, of root: Int, _ tape: Tape) -> [String] {
    names.begin(tape)
    var found: [String] = []
    tape.forEachMember(of: root) { key in
      let source = tape[key]
      let name = names.key(source, in: tape)
      var row = name.kind == .key ? tape.bytes(name).text : "-"
      row += " \(names.identity(source, in: tape))"
      row += " \(names.event(source, in: tape).map { tape.bytes($0).text } ?? "-")"
      for parent in [nil, .scrollInfo, .element, .gestureParams] as [PulsePart?] {
        row += " \(names.part(source, of: parent, in: tape).map { "\($0)" } ?? "-")"
      }
      found.append(row)
    }
    return found
  }

  private static let json =
    #"{"plain":1,"Two Words":2,"!":3,"type":4,"userId":5,"deviceId":6,"params":7,"speed":8,"é":9}"#

  @Test func theSecondAnswerIsTheFirst() {
    let names = ForeignNames(.default)
    withTape(of: Self.json) { tape, root in
      let first = info(names, of: root, tape)
      #expect(first == info(names, of: root, tape))
      #expect(first == info(ForeignNames(.default), of: root, tape))
      #expect(first[0] == "plain 0 plain - - - -")
      #expect(first[1] == "two_words 0 two_words - - - -")
      #expect(first[2] == "- 0 - - - - -")
      #expect(first[3].hasSuffix("- - elementType gestureType"))
      #expect(first[6].hasSuffix("params - - -") && first[7].hasSuffix("- speed - -"))
    }
  }

  /// A reader works on the blocks of many units, each with a tape whose numbers are its own.
  @Test func anotherTapeHasOtherNames() {
    let names = ForeignNames(.default)
    for json in [Self.json, #"{"Other":1,"type":2,"uid":3}"#, Self.json] {
      withTape(of: json) { tape, root in
        #expect(info(names, of: root, tape) == info(ForeignNames(.default), of: root, tape))
      }
    }
  }

  @Test func namesWithoutANumberAreFoundOutEveryTime() {
    let long = String(repeating: "x", count: InternTable.longest + 1)
    withTape(of: #"{"\#(long)":1,"\#(long)y z":2}"#) { tape, root in
      let found = info(ForeignNames(.default), of: root, tape)
      #expect(found.count == 2 && found[0] != found[1])
    }
  }
}
