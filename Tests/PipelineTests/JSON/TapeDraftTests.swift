import TestSupport
import Testing

@testable import Pipeline

@Suite struct TapeDraftTests {
  private func describe(_ node: Int, of tape: Tape) -> String {
    let entry = tape[node]
    var parts: [String] = []
    var child = node + 1
    switch entry.kind {
    case .object, .array:
      while child < Int(entry.next) {
        parts.append(describe(child, of: tape))
        child = Int(tape[child].next)
      }
      return (entry.kind == .object ? "{" : "[") + parts.joined(separator: " ") + "]"
    case .key: return tape.bytes(entry).text + ":" + describe(node + 1, of: tape)
    case .date: return "@\(entry.milliseconds)"
    default: return tape.bytes(entry).text
    }
  }

  @Test func aCopyIsTheSameWhereverItStands() {
    withTape(of: #"[0,{"a":[1,"t\n",{}],"b":{"c":null}},7]"#) { tape, root in
      let object = root + 2
      let copy = tape.appendCopy(of: object)
      #expect(copy > object && describe(copy, of: tape) == describe(object, of: tape))
      #expect(Int(tape[copy].next) == tape.count)
      let scalar = tape.appendCopy(of: root + 1)
      #expect(describe(scalar, of: tape) == "0" && Int(tape[scalar].next) == tape.count)
      #expect(describe(tape.appendCopy(of: copy), of: tape) == describe(object, of: tape))
    }
  }

  @Test func noTwoBlocksHaveOneNumber() {
    let tapes = [Tape(), Tape()]
    var seen: Set<Int> = []
    for _ in 0..<3 {
      for tape in tapes {
        #expect(seen.insert(tape.block).inserted)
        tape.bind(to: "x")
      }
    }
  }

  @Test func containersEndWhereTheirContentDoes() {
    withTape(of: #"{"size.i":42,"x":"t"}"#) { tape, root in
      let object = tape.appendContainer(.object) {
        tape.appendMember(tape.key(tape[root + 1], part: 0..<4)) { tape.appendCopy(of: root + 2) }
        tape.appendMember(tape.key("when")) { tape.appendDate(milliseconds: -1) }
        tape.appendMember(tape.key("list")) {
          tape.appendContainer(.array) { tape.appendScalar(tape[root + 4]) }
        }
        tape.appendMember(tape.key("none")) { tape.appendContainer(.object) {} }
      }
      #expect(describe(object, of: tape) == "{size:42 when:@-1 list:[t] none:{]]")
      #expect(Int(tape[object].next) == tape.count && tape[object].length == 0)
      #expect(describe(root, of: tape) == "{size.i:42 x:t]")
    }
  }

  /// Keys have the number that the same name has where it is scanned.
  @Test func keysAreNumberedByTheirText() {
    withTape(of: #"{"size":1,"size.i":2,"si\u007ae.i":3}"#) { tape, root in
      let scanned = tape[root + 1].number
      #expect(scanned != 0 && tape[root + 3].number != scanned)
      #expect(tape.key("size").number == scanned)
      #expect(tape.key { $0.append("size") }.number == scanned)
      for key in [root + 3, root + 5] {
        let part = tape.key(tape[key], part: 0..<4)
        #expect(part.number == scanned && part.kind == .key && tape.bytes(part) == "size")
      }
      #expect(tape.key("").number == 0)
    }
  }
}
