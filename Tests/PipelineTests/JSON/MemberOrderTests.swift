import TestSupport
import Testing

@testable import Pipeline

/// The fields of objects, sorted by key.
@Suite struct MemberOrderTests {
  /// The fields of the object `json`, as `key=value`.
  private func members(_ json: String) -> [String] {
    withTape(of: json) { tape, root in
      var order = MemberOrder()
      let range = order.push(root, of: tape)
      var members: [String] = []
      for position in range {
        members.append(
          "\(tape.bytes(at: order[position]).text)=\(tape.bytes(at: order[position] + 1).text)")
      }
      order.pop(range)
      return members
    }
  }

  @Test func membersStandByTheBytesOfTheirKeys() {
    #expect(members("{}") == [])
    #expect(members(#"{"a":1,"b":2}"#) == ["a=1", "b=2"])
    #expect(members(#"{"b":2,"a":1}"#) == ["a=1", "b=2"])
    #expect(members(#"{"é":3,"z":2,"Z":1,"":0}"#) == ["=0", "Z=1", "z=2", "é=3"])
  }

  @Test func ofRepeatedMembersTheLastOneCounts() {
    #expect(members(#"{"a":1,"a":2}"#) == ["a=2"])
    #expect(members(#"{"b":1,"a":2,"b":3,"a":4,"b":5}"#) == ["a=4", "b=5"])
    #expect(members(#"{"a":1,"\u0061":2}"#) == ["a=2"], "however it is written")
  }

  /// An inner object is sorted while the outer one still is in use.
  @Test func objectsInsideOfOthers() {
    withTape(of: #"{"x":{"b":1,"a":2},"w":{"d":3,"c":4}}"#) { tape, root in
      var order = MemberOrder()
      let outer = order.push(root, of: tape)
      var found: [String] = []
      for position in outer {
        let inner = order.push(order[position] + 1, of: tape)
        for position in inner { found.append(tape.bytes(at: order[position]).text) }
        order.pop(inner)
      }
      #expect(found == ["c", "d", "a", "b"])
      #expect(tape.bytes(at: order[outer.lowerBound]).text == "w" && outer.count == 2)
      order.pop(outer)
    }
  }

  @Test func randomObjects() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("MemberOrderTests.randomObjects: seed \(seed)")
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0...80, using: &random)
      let keys = (0..<count).map { _ in Int.random(in: 0...count, using: &random) }
      let json = keys.enumerated().map { #""k\#($1)":\#($0)"# }.joined(separator: ",")
      var last: [String: Int] = [:]
      for (position, key) in keys.enumerated() { last["k\(key)"] = position }
      let expected = last.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        .map { "\($0.key)=\($0.value)" }
      #expect(members("{\(json)}") == expected)
    }
  }
}
