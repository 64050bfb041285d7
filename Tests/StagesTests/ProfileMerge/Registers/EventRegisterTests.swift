import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct EventRegisterTests {
  /// A register as plain values, to be compared.
  private static func plain(_ register: EventRegister) -> [String] {
    ["\(register.count)", "\(register.untimed)", "\(register.seen)", register.value.text]
  }

  private static let values: [StaticString] = ["", "{\"n\":1}", "{\"n\":2}", "{}"]

  private static func random(_ random: inout RepeatableRandom) -> EventRegister {
    let value = ByteView(values[Int(random.next() % 4)])
    let count = 1 + Int(random.next() % 3)
    switch random.next() % 3 {
    case 0: return EventRegister(count: count, untimed: count, seen: .never, value: value)
    case 1:
      let time = Int(random.next() % 4)
      return EventRegister(count: count, seen: Seen(first: time, last: time + 1), value: value)
    default:
      let time = Int(random.next() % 4)
      return EventRegister(
        count: count + 2, untimed: 2, seen: Seen(first: time, last: time), value: value)
    }
  }

  private static func merged(_ registers: [EventRegister]) -> EventRegister {
    var all = registers[0]
    for register in registers.dropFirst() { all.merge(register) }
    return all
  }

  @Test(arguments: Array(1...30) as [UInt64])
  func anyOrderAndGrouping(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let registers = (0..<5).map { _ in Self.random(&random) }
    let expected = Self.plain(Self.merged(registers))
    for _ in 0..<5 {
      #expect(
        Self.plain(Self.merged(registers.shuffled(using: &random))) == expected, "seed \(seed)")
    }
    let tail = Self.merged(Array(registers[2...]))
    #expect(
      Self.plain(Self.merged([registers[0], registers[1], tail])) == expected, "seed \(seed)")
  }

  @Test func eventsWithoutTimeAreNotSeen() {
    var register = EventRegister(count: 2, untimed: 2, seen: .never, value: "{\"n\":9}")
    #expect(register.timed == 0)
    register.merge(EventRegister(count: 1, seen: Seen(first: 5, last: 5), value: ""))
    #expect(register.count == 3 && register.untimed == 2 && register.timed == 1)
    #expect(register.seen == Seen(first: 5, last: 5))
    #expect(register.value.isEmpty, "an event with a time wins, whatever it has")
  }

  @Test func theyGoByThemselves() {
    var register = EventRegister(count: 3, untimed: 2, seen: Seen(first: 5, last: 6), value: "{}")
    var isLeft = register.dropUntimed()
    #expect(isLeft)
    #expect(register.count == 1 && register.untimed == 0 && register.value == "{}")
    var alone = EventRegister(count: 2, untimed: 2, seen: .never, value: "{}")
    isLeft = alone.dropUntimed()
    #expect(!isLeft)
  }
}
