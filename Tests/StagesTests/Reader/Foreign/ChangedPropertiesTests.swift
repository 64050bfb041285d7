import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Which of many changed properties are kept; `Vectors/realm.jsonl` has what counts as a change.
@Suite struct ChangedPropertiesTests {
  /// The names `Class.property` of the payload `json`.
  private func changed(_ json: String) -> [String]? {
    withBatch(of: json) { batch, root in
      var write = RealmWrite()
      guard write.read(root, of: batch.tape) else { return nil }
      var changed = ChangedProperties()
      for position in write.classes.indices { changed.add(write.classes[position], of: batch.tape) }
      return (0..<changed.count).map { position in
        let (key, property) = (changed[position].classKey, changed[position].property)
        return batch.tape.bytes(at: key).text + "." + batch.tape.bytes(at: property).text
      }
    }
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
