import Pipeline
import TestSupport
import Testing

@Suite struct ByteBufferTests {
  /// Around the powers of ten, where the number of digits and of their groups changes.
  @Test func writesDecimalsOfEveryLength() {
    var random = RepeatableRandom(seed: 4)
    var values = [0, .max, .min]
    var power = 1
    for digits in 1...19 {
      values += [power - 1, power, power + 1, power + Int(random.next() % UInt64(power))]
      if digits < 19 { power *= 10 }
    }
    for value in values + values.map({ 0 &- $0 }) {
      var buffer = ByteBuffer(capacity: 1)
      buffer.append("n=")
      buffer.append(decimal: value)
      #expect(buffer.view.text == "n=\(value)", "seed 4")
    }
  }

  @Test func aViewOfItselfMayBeAppendedWhereThereIsRoom() async {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append("abc")
    buffer.append(buffer.view)
    #expect(buffer.view.text == "abcabc")
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer(capacity: 16)
      buffer.append("0123456789")
      buffer.append(buffer.view)
    }
  }
}
