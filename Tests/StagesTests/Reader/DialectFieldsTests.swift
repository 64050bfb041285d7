@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct DialectFieldsTests {
  private enum Field: UInt8, DialectField {
    case door, turns

    var name: StaticString {
      switch self {
      case .door: "door"
      case .turns: "turns"
      }
    }
  }

  @Test func theLastOfRepeatedMembersCountsAndNullIsAbsent() {
    withBatch(of: #"{"door":1,"x":2,"turns":3,"door":4,"name":"n","turns":null}"#) { batch, root in
      let tape = batch.tape
      let members = RootFields()
      members.read(root, of: batch)
      let own = members.take(Field.self, of: tape, NameInfoCache(0))
      #expect(tape.bytes(at: own[.door]).text == "4" && !own[.turns].exists)
      // What the dialect takes is not unknown any more.
      let unknown = members.unknownKeys.indices.map {
        tape.bytes(at: members.unknownKeys[$0]).text
      }
      #expect(unknown == ["x"])
    }
  }

  @Test func aMemoThatKnowsTheNamesTellsTheSame() {
    withBatch(of: #"{"door":1,"turns":2,"y":3}"#) { batch, root in
      let cache = NameInfoCache<UInt32>(0)
      var calls = 0
      for _ in 0..<3 {
        let members = RootFields()
        members.read(root, of: batch)
        let own = members.take(Field.self, of: batch.tape, cache) { name in
          calls += 1
          return Field.index(of: name) | 1 << 8
        }
        #expect(own[.door] == Node(root + 2) && own[.turns] == Node(root + 4))
      }
      #expect(calls == 3)
    }
  }
}
