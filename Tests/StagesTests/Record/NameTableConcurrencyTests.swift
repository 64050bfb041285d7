import Dispatch
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct NameTableConcurrencyTests {
  @Test func threadsAgreeOnNumbers() {
    let table = NameTable()
    let texts = (0..<500).map { "name_\($0)" }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = RepeatableRandom(seed: UInt64(thread))
      var cache = NameCache(of: table)
      for text in texts.shuffled(using: &random) + texts {
        let name = ByteBuffer(text: text)
        let id = cache.id(of: name.view)
        precondition(table.intern(name.view)?.id == id, "two threads, two numbers")
      }
    }
    let list = table.list()
    #expect(list.sorted.map { list[$0].text } == texts.sorted() && list.count == 500)
    for (rank, id) in list.sorted.enumerated() { #expect(list.ranks[Int(id)] == UInt32(rank)) }
  }

  @Test func aFullTableSaysSoAndKeepsWhatItHas() {
    let table = NameTable("colours", limit: 2)
    var cache = NameCache(of: table)
    #expect(cache.id(of: "red") == 0 && cache.id(of: "green") == 1)
    #expect(cache.id(of: "red") == 0 && cache.failure == nil && table.failure == nil)
    #expect(
      cache.id(of: "blue") == NameTable.overflowID && cache.id(of: "pink") == NameTable.overflowID)
    let failure = cache.failure
    #expect(failure == table.failure && failure?.kind == .limit)
    #expect(failure?.why == "there are more than 2 different ones, such as \"blue\"")
    #expect(failure?.advice.contains("--max-names") == true)
    #expect(cache.id(of: "green") == 1 && table.list().count == 2)
    // A thread that met only names of the table has nothing to complain about.
    var other = NameCache(of: table)
    #expect(other.id(of: "green") == 1 && other.failure == nil)
    #expect(table.intern("blue") == nil)
  }
}
