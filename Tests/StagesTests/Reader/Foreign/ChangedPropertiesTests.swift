import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What modifications changed (dialects 6).
@Suite struct ChangedPropertiesTests {
  /// The names `Class.property` of the payload `json`.
  private func changed(_ json: String) -> [String]? {
    withBatch(of: json) { batch, root in
      var write = RealmWrite()
      guard write.read(root, of: batch.tape) else { return nil }
      var changed = ChangedProperties()
      changed.begin()
      for position in write.classes.indices { changed.add(write.classes[position], of: batch.tape) }
      var names: [String] = []
      for position in 0..<changed.count {
        let (key, property) = (changed[position].classKey, changed[position].property)
        names.append(batch.tape.bytes(at: key).text + "." + batch.tape.bytes(at: property).text)
      }
      return names
    }
  }

  /// The names for one pair of class `P`.
  private func changed(_ old: String, _ new: String) -> [String]? {
    changed(#"{"P":{"modifications":[{"oldValue":\#(old),"newValue":\#(new)}]}}"#)
  }

  @Test func valuesThatDiffer() {
    #expect(changed(#"{"a":1}"#, #"{"a":1}"#) == [])
    #expect(changed(#"{"a":1}"#, #"{"a":2}"#) == ["P.a"])
    #expect(changed(#"{"a":1}"#, #"{"a":1.0}"#) == ["P.a"], "numbers are told by their text")
    #expect(changed(#"{"a":"1"}"#, #"{"a":1}"#) == ["P.a"])
    #expect(changed(#"{"a":true}"#, #"{"a":false}"#) == ["P.a"])
    #expect(changed(#"{"a":"\u0061"}"#, #"{"a":"a"}"#) == [], "however it is written")
    #expect(changed(#"{"b":1,"c":1,"a":1}"#, #"{"a":2,"b":1,"c":2}"#) == ["P.a", "P.c"])
  }

  @Test func theNewObjectTellsWhatChanged() {
    #expect(changed(#"{"a":1,"b":2}"#, #"{"b":3}"#) == ["P.b"])
    #expect(changed(#"{"b":2}"#, #"{"a":0}"#) == ["P.a"])
    #expect(changed("{}", #"{"a":null}"#) == [])
    #expect(changed(#"{"a":null}"#, #"{"a":0}"#) == ["P.a"])
    #expect(changed(#"{"a":0}"#, #"{"a":null}"#) == ["P.a"])
  }

  @Test func containersAreTheSameWhateverTheOrderOfTheirMembers() {
    #expect(
      changed(#"{"a":{"x":1,"y":[{"p":1,"q":2}]}}"#, #"{"a":{"y":[{"q":2,"p":1}],"x":1}}"#) == [])
    #expect(changed(#"{"a":{"x":1}}"#, #"{"a":{"x":1,"y":2}}"#) == ["P.a"])
    #expect(changed(#"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#) == ["P.a"])
    #expect(changed(#"{"a":[1,2]}"#, #"{"a":[2,1]}"#) == ["P.a"])
    #expect(changed(#"{"a":[1]}"#, #"{"a":[1,2]}"#) == ["P.a"])
    #expect(changed(#"{"a":[1,2]}"#, #"{"a":[1]}"#) == ["P.a"])
    #expect(changed(#"{"a":[ 1 ]}"#, #"{"a":[1]}"#) == [])
    #expect(changed(#"{"a":{"x":1,"x":2}}"#, #"{"a":{"x":2}}"#) == [])
  }

  @Test func namesStandAsWholeTextsAndOnce() {
    let pair = #"{"oldValue":{},"newValue":{"z":1}}"#
    #expect(
      changed(#"{"A":{"modifications":[\#(pair),\#(pair)]},"A-b":{"modifications":[\#(pair)]}}"#)
        == ["A-b.z", "A.z"])
    // The text of one class and property may be that of another: it is told once.
    #expect(
      changed(
        #"{"A":{"modifications":[{"oldValue":{},"newValue":{"b.c":1,"b":1}}]},"#
          + #""A.b":{"modifications":[{"oldValue":{},"newValue":{"c":1}}]}}"#)
        == ["A.b", "A.b.c"])
  }

  /// Far more names than are kept, against a plain set.
  @Test func randomNames() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("ChangedPropertiesTests.randomNames: seed \(seed)")
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<100 {
      var expected: Set<String> = []
      var names: Set<String> = []
      var classes: [String] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let name = String(
          (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "a-./b".randomElement(using: &random) ?? "a"
          })
        guard names.insert(name).inserted else { continue }
        let pairs = (0..<Int.random(in: 0...8, using: &random)).map { _ in
          let keys = (0..<Int.random(in: 0...9, using: &random)).map { _ in
            String("abc.-z".randomElement(using: &random) ?? "a")
              + String(Int.random(in: 0...9, using: &random))
          }
          expected.formUnion(keys.map { name + "." + $0 })
          return #"{"oldValue":{},"newValue":{"#
            + keys.map { #""\#($0)":1"# }.joined(separator: ",") + "}}"
        }
        classes.append(#""\#(name)":{"modifications":[\#(pairs.joined(separator: ","))]}"#)
      }
      // An object without classes is not a write.
      if classes.isEmpty {
        #expect(changed("{}") == nil)
        continue
      }
      let sorted = expected.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(changed("{\(classes.joined(separator: ","))}") == Array(sorted.prefix(26)))
    }
  }
}
