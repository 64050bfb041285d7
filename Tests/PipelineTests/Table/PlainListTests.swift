import TestSupport
import Testing

@testable import Pipeline

@Suite struct PlainListTests {
  @Test(arguments: [1, 2] as [UInt64]) func behavesLikeAnArray(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var list = PlainList<UInt32>(capacity: 0)
    var model: [UInt32] = []
    for _ in 0..<5000 {
      switch Int.random(in: 0..<22, using: &random) {
      case 20:
        let index = Int.random(in: 0...model.count, using: &random)
        list.insert(UInt32(index), at: index)
        model.insert(UInt32(index), at: index)
      case 21 where model.count % 64 == 0:
        list.fill(with: 9)
        model = model.map { _ in 9 }
      case 0 where !model.isEmpty:
        let kept = Int.random(in: 0...model.count, using: &random)
        list.truncate(to: kept)
        model.removeLast(model.count - kept)
      case 1 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        list[index] += 7
        model[index] += 7
      default:
        let value = UInt32.random(in: 0..<1_000_000, using: &random)
        list.append(value)
        model.append(value)
      }
      let count = list.count
      #expect(count == model.count, "seed \(seed)")
    }
    let even = list.count { $0 % 2 == 0 }
    #expect(even == model.filter { $0 % 2 == 0 }.count)
    let first = Int.random(in: 0...model.count, using: &random)
    list.removeAll(from: first) { $0 % 3 == 0 }
    model = model[..<first] + model[first...].filter { $0 % 3 != 0 }
    let found = list.indices.map { list[$0] }
    #expect(found == model, "seed \(seed)")
  }

  @Test func sortsWhatIsBehindTheStart() {
    var random = RepeatableRandom(seed: 7)
    for length in 0..<70 {
      var list = PlainList<Int32>()
      let values = (0..<length).map { _ in Int32.random(in: 0..<40, using: &random) }
      for value in values { list.append(value) }
      let start = length == 0 ? 0 : Int.random(in: 0...length, using: &random)
      list.sort(from: start, by: <)
      let sorted = Array(values[..<start]) + values[start...].sorted()
      #expect(list.indices.map { list[$0] } == sorted, "seed 7, length \(length)")
    }
  }

  @Test func whatIsForgottenLeavesNothing() {
    var list = PlainList<Int>(capacity: 2)
    for value in 0..<100 { list.append(value) }
    list.removeAll()
    list.shrink(to: 4)
    let isEmpty = list.isEmpty
    #expect(isEmpty)
    list.append(5)
    let (count, first) = (list.count, list[0])
    #expect(count == 1 && first == 5)
  }

  @Test func anElementThatIsNotThereTraps() async {
    await #expect(processExitsWith: .failure) {
      var list = PlainList<Int>()
      list.append(1)
      list.removeAll()
      _ = list[0]
    }
  }
}
