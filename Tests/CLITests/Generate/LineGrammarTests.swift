import Pipeline
import Stages
import TestSupport
import Testing

@testable import eventmill

/// What the tables of synthetic logs mean.
@Suite struct LineGrammarTests {
  private func draft(
    _ line: Int, time: Int = 1_714_641_300_000, identity: Identity = .both
  ) -> Draft {
    Draft(
      line: line, time: time, person: Person(number: line, seed: 1), identity: identity,
      idSeed: 5, random: LogRandom(seed: 1, line: line))
  }

  /// What the rule `line` of a table appends for a line.
  private func text(_ table: StaticString, _ draft: Draft) -> String {
    let grammar = LineGrammar(Array(table.description.utf8), LineGrammar.further)
    var draft = draft
    var text = ByteBuffer(capacity: 16)
    grammar.append(grammar.rule("line"), &draft, to: &text)
    return text.view.text
  }

  private func texts(_ table: StaticString) -> [String] { (0..<100).map { text(table, draft($0)) } }

  @Test func idsAreThoseThatTheLineHas() {
    let table: StaticString = "line: <user? <user>|nobody><both?  and ><device? <device>>"
    #expect(text(table, draft(7, identity: .custom)) == "user-0000007")
    #expect(text(table, draft(7)).hasPrefix("user-0000007and "))
    #expect(text(table, draft(7, identity: .installation)).hasPrefix("nobody"))
  }

  @Test func alternativesAreChosenByTheirShares() {
    let even = texts("line: a|b\n  c")
    #expect(Set(even) == ["a", "b", "c"])
    let uneven = texts("line:\n  90% a\n  b")
    #expect((80...98).contains(uneven.count { $0 == "a" }))
    #expect(Set(uneven) == ["a", "b"])
    #expect(Set(texts("line: x<50% y>")) == ["x", "xy"])
    #expect(Set(texts("line: <0.5% a|99.5% b>")).isSubset(of: ["a", "b"]))
  }

  @Test func namesAreNumbersOfTheLine() {
    #expect(text("line: <a=3><b=a+4-1>-<a*b>-<b-2*a>-<ms-1000*s>", draft(1)) == "-18-0-0")
    #expect(text("line: <a=1><word.a>,<word.0>,<word.5>\nword: x|y", draft(1)) == "y,x,")
    #expect(text("line: <a=0><a? no|yes><a=2><a? yes|no>", draft(1)) == "yesyes")
    #expect(text("line: <a=100%><a=a+50%-a+a><time: 0>", draft(1)).hasSuffix("Z"))
    #expect(text("line: <local: 0>", draft(1)) == "1970-01-01T00:00:00")
    for number in texts("line: <5+?3>") { #expect(["5", "6", "7"].contains(number)) }
  }

  @Test func listsHaveCommas() {
    for list in texts("line: <word,3>\nword: a|b|c|d") {
      #expect("a,b,c,d,a,b".contains(list) && (1...3).contains(list.split(separator: ",").count))
    }
    #expect(text("line: <x 3><nested 2>", draft(1)) == #"xxx{"d":{"d":0}}"#)
    #expect(text("line: [<string*3>]", draft(1)) == #"["i0","i1","i2"]"#)
  }

  /// A line continues after a backslash, and a row of faults is wrapped in its frame.
  @Test func linesContinueAndFramesSurroundFaults() {
    #expect(text("line: a,\\\n    b", draft(1)) == "a,b")
    let table = "whole: {<fault>}\n# a comment\nbad_key whole \"a b\":<user>,\\\n  1"
    let faults = FaultyLine.all(in: Array(table.utf8))
    var line = draft(7)
    var text = ByteBuffer()
    for fault in faults { fault.append(&line, to: &text) }
    #expect(faults.map(\.code) == [.badKey] && faults.map(\.frame) == ["whole"])
    #expect(text.view.text == #"{"a b":user-0000007,1}"#)
  }
}
