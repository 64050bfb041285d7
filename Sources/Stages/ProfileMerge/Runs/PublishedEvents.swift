import Pipeline

/// The events of a published profile, parsed from its line. Reusable; for one thread.
struct PublishedEvents: ~Copyable {
  private let tape = Tape(numbersNames: false)
  private var names: NameCache
  private(set) var events: [Event] = []

  /// An event, with the number of its name in the run.
  typealias Event = (name: UInt32, register: EventRegister)

  init(_ names: RunNames) { self.names = NameCache(of: names.events) }
  mutating func removeAll() { events.removeAll(keepingCapacity: true) }

  /// Reads the events of the line `profile`, including its line end, and returns the sum of
  /// `counted` and their counts; nil when it is not the profile of the id `id`. Values are views of
  /// the line.
  mutating func read(_ profile: ByteView, of id: ByteView, _ counted: Int) -> Int? {
    tape.bind(to: profile)
    guard case .value(let root) = Scanner.scan(line: 0..<profile.count - 1, into: tape),
      tape[root].kind == .object, tape.string(at: tape.member("id", of: root)) == id
    else { return nil }
    guard let object = tape.member("events", of: root) else { return counted }
    var (isSound, sum) = (true, counted)
    tape.forEachMember(of: object) { name in
      guard FrameLayout.isName(tape.bytes(at: name)), let register = register(name + 1),
        sum + register.count <= FrameLayout.maximumCount
      else {
        isSound = false
        return
      }
      sum += register.count
      events.append((names.id(of: tape.bytes(at: name)), register))
    }
    return isSound ? sum : nil
  }

  private func register(_ event: Int) -> EventRegister? {
    guard tape[event].kind == .object, let count = tape.count(at: tape.member("count", of: event)),
      0...FrameLayout.maximumCount ~= count
    else { return nil }
    var register = EventRegister(count: count, seen: .never, value: "")
    if let first = tape.member("first_seen", of: event) {
      guard let from = tape.time(at: first),
        let to = tape.time(at: tape.member("last_seen", of: event)), FrameLayout.isRange(from, to)
      else { return nil }
      register.seen = Seen(first: from, last: to)
    }
    if let value = tape.member("value", of: event) {
      guard tape[value].kind == .object else { return nil }
      register.value = tape.bytes(at: value)
    }
    return register
  }

  func names(below limit: Int) -> Bool { events.allSatisfy { $0.name < limit } }
}
