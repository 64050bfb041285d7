import Dispatch
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct NameTableTests {
  @Test func threadsAgreeOnNumbers() {
    let table = NameTable()
    let texts = (0..<500).map { "name_\($0)" }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = RepeatableRandom(seed: UInt64(thread))
      var cache = NameCache(of: table)
      for text in texts.shuffled(using: &random) + texts {
        var name = ByteBuffer()
        name.append(text: text)
        let id = cache.id(of: name.view)
        precondition(table.intern(name.view).id == id, "two threads, two numbers")
      }
    }
    let list = table.list()
    #expect(list.count == 500)
    let sorted = list.sorted.map { list[$0].text }
    #expect(sorted == texts.sorted())
    for (rank, id) in list.sorted.enumerated() { #expect(list.ranks[Int(id)] == UInt32(rank)) }
  }
}
