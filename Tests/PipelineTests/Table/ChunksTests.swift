import Pipeline
import Testing

@Suite struct ChunksTests {
  @Test func keepsEntriesOverManyChunks() {
    var table = Chunks<Int, 12>()
    for value in 0..<20_000 {
      #expect(Int(table.next) == value)
      table.append(value)
    }
    for index in stride(from: 0, to: 20_000, by: 7) { table[UInt32(index)] += 1 }
    for index in 0..<20_000 {
      #expect(table[UInt32(index)] == index + (index % 7 == 0 ? 1 : 0))
    }
    #expect(table.count == 20_000)
  }

  @Test func anEntryThatIsNotThereTraps() async {
    await #expect(processExitsWith: .failure) {
      var table = Chunks<Int, 12>()
      table.append(1)
      print(table[1])
    }
  }
}
