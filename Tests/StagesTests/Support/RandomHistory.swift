import Stages
import TestSupport

/// Random histories over few keys, names, times and values, so that ties of every kind occur.
struct RandomHistory: RandomChoices {
  static let start = 1_714_521_600_000
  var random: RepeatableRandom
  /// Whether every event has an id.
  var onlyIDs = false
  /// Whether there are events at all.
  var hasEvents = true
  /// Whether events have ids at all.
  var hasIDs = true
  /// Whether some ids identify an event without its time.
  var hasTimelessIDs = false
  /// Whether installations report locations, opt out, and request erasure.
  var hasPrivacy = false
  /// Whether some events have no time.
  var hasUntimed = false
  /// Whether sources call some events otherwise.
  var hasSourceNames = false
  /// Milliseconds between one of the eight times of a history and the next.
  var timeStep = 1000
  /// Owners of records: custom ids and installation ids. An empty id means no owner.
  var people = ["u", "v", "é \"q\"", "w\u{1F600}", ""]
  var installations = ["i", "j", "I", "", ""]

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func steps(_ count: Int) -> [Step] {
    var steps: [Step] = []
    while steps.count < count {
      var record = record()
      let input = pick(["a", "b", "c"])
      for index in record.indices { record[index].input = input }
      steps += record
    }
    return steps
  }

  private mutating func time() -> Int {
    Self.start + any(8) * timeStep
  }

  /// The operations of one record, as the router makes them.
  private mutating func record() -> [Step] {
    // Marks are about installations.
    let isAlone = hasPrivacy && any(2) == 0
    let custom = isAlone ? "" : pick(people)
    let installation = pick(installations)
    let time = time()
    let key =
      custom.isEmpty ? (installation.isEmpty ? "" : "install:\(installation)") : "custom:\(custom)"
    var steps: [Step] = []
    if hasEvents {
      for _ in 0..<Int.random(in: 0...2, using: &random) { steps.append(event(key)) }
    }
    if !key.isEmpty {
      for _ in 0..<Int.random(in: 0...2, using: &random) { steps.append(operation(key, time)) }
      if any(40) == 0 {
        steps.append(Step(kind: .clear, key: key, time: time))
      }
    }
    var isOfInstallation = false
    if hasPrivacy, !key.isEmpty {
      if any(4) == 0 { steps.append(location(key, time)) }
      if !installation.isEmpty, any(4) == 0 {
        isOfInstallation = true
        let flag = pick(["true", "false", ""])
        let kind: Step.Kind = flag.isEmpty ? .erase : .register(.consent)
        steps.append(Step(kind: kind, key: "install:\(installation)", time: time, value: flag))
      }
    }
    if !custom.isEmpty && !installation.isEmpty {
      if isOfInstallation { steps.append(Step(kind: .touch, key: key)) }
      if steps.isEmpty { steps.append(Step(kind: .touch, key: key)) }
      let times = steps.map { $0.time == 0 ? time : $0.time }.filter { $0 != EventTime.absent }
      // Events without a time create no link.
      if let earliest = times.min() {
        steps.append(
          Step(kind: .link, key: "install:\(installation)", time: earliest, value: custom))
      }
    }
    return steps
  }

  private mutating func event(_ key: String) -> Step {
    var time = time()
    if hasUntimed, any(3) == 0 { time = EventTime.absent }
    var event = Step(
      kind: .event, key: key, name: pick(["a", "b_2", "zz"]), time: time,
      value: pick(["", "{\"n\":1}", "{\"n\":2}", "{\"$label\":\"x\\n\",\"n\":1}"]),
      id: hasIDs ? onlyIDs ? pick(["1", "2", "3"]) : pick(["", "", "1", "2"]) : "",
      dialect: pick([.v1, .v2]))
    if !event.id.isEmpty, hasTimelessIDs, Bool.random(using: &random) { event.hasTimelessID = true }
    if hasSourceNames {
      event.sourceName = pick(["", "a!", "A", "a/b", "Ä\u{1F600}", "a b", "\"", "a\n", "z"])
    }
    return event
  }

  private mutating func location(_ key: String, _ time: Int) -> Step {
    let position = pick([
      "{\"latitude\":1,\"longitude\":2}", "{\"latitude\":1.0,\"longitude\":2}",
      "{\"latitude\":-9.5,\"longitude\":100,\"accuracy\":7}",
    ])
    return Step(kind: .register(.location), key: key, time: time, value: position)
  }

  private mutating func operation(_ key: String, _ time: Int) -> Step {
    let name = pick(["k", "m", "$topic_preferences"])
    let item = pick(["a", "b", "x\n\"\\", "é", "\u{FFFD}", "\u{10000}"])
    switch any(8) {
    case 0...2: return Step(kind: .addItem, key: key, name: name, time: time, value: item)
    case 3, 4: return Step(kind: .removeItem, key: key, name: name, time: time, value: item)
    case 5: return Step(kind: .unset, key: key, name: name, time: time)
    default:
      let value = pick([
        "5", "5.0", "true", "\"a\"", "[\"a\",\"b\"]", "[\"b\",\"x\\n\\\"\\\\\"]",
        "\"2024-05-01T00:00:05.000Z\"",
      ])
      let form: KeyForm = value.hasPrefix("\"2024") ? pick([.plain, .date, .url]) : .plain
      return Step(kind: .set, key: key, name: name, form: form, time: time, value: value)
    }
  }

  /// Ids that have to be escaped, look like parts of a state, or sort in unusual places.
  static let oddIDs = [
    "\"", "\\", "a\\", "a\\\"", "a\"", "},\"link\":{\"custom_id\":\"x",
    "x\",\"link\":{\"custom_id\":\"u\",\"time\":1714521600000}}", "},\"touched\":true}",
    "\"ids\":{", "\u{1}", "a\t", "é", "\u{FFFD}", "\u{10000}", "\u{7F}", "/", "custom:u",
    "install:i",
  ]

  /// A history over `count` people with usual ids and some with odd ones, and half as many
  /// installations.
  static func wide(seed: UInt64, people count: Int) -> RandomHistory {
    var history = RandomHistory(seed: seed)
    history.people = oddIDs + (0..<count).map { "user-\($0)" }
    history.people += Array(repeating: "", count: count / 4 + 1)
    history.installations = oddIDs + (0..<count / 2).map { "device-\($0)" }
    history.installations += Array(repeating: "", count: count / 2 + 1)
    return history
  }
}
