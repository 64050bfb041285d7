import Stages

/// data-model 13.6 read aloud: what erase marks leave of a whole history, per key.
struct NaiveErasure {
  /// The latest mark of each key that has one.
  private let marks: [String: Int]
  /// Earliest time of each event name of each marked key.
  private var earliest: [String: Int] = [:]
  private let times: [String: ClosedRange<Int>]
  private let consents: [String: Step]
  private(set) var left: [Step] = []

  init(_ steps: [Step]) {
    var marks: [String: Int] = [:]
    var times: [String: ClosedRange<Int>] = [:]
    var consents: [String: Step] = [:]
    for step in steps
    where step.kind != .link && step.kind != .touch && step.time != EventTime.absent {
      let known = times[step.key] ?? step.time...step.time
      times[step.key] = min(known.lowerBound, step.time)...max(known.upperBound, step.time)
      if step.kind == .erase { marks[step.key] = max(marks[step.key] ?? 0, step.time) }
      guard step.kind == .register(.consent) else { continue }
      if let other = consents[step.key] {
        if step.time < other.time { continue }
        if step.time == other.time, step.value == "false" { continue }
      }
      consents[step.key] = step
    }
    self.marks = marks
    self.times = times
    self.consents = consents
    for step in steps where marks[step.key] != nil && step.kind == .event {
      let register = "\(step.key) \(step.name)"
      earliest[register] = min(earliest[register] ?? .max, step.time)
    }
    left = steps.filter { !isErased($0) }
  }

  /// Whether a mark is about the step: of events about all of a register that reaches back to it,
  /// and of events without time about each.
  func isErased(_ step: Step) -> Bool {
    guard let mark = marks[step.key] else { return false }
    if step.time == EventTime.absent { return true }
    switch step.kind {
    case .event: return earliest["\(step.key) \(step.name)"] ?? .max <= mark
    case .touch, .erase: return false
    case .register(let register): return register != .consent && step.time <= mark
    case .set, .unset, .addItem, .removeItem, .clear, .link: return step.time <= mark
    }
  }

  /// Whether a mark is about all of the day of an event.
  func isDayErased(_ event: Step) -> Bool {
    marks[event.key].map { event.time / DayNumber.milliseconds <= $0 / DayNumber.milliseconds }
      ?? false
  }

  /// The link that counts, of all those of an installation: the earliest, or, when a mark is about
  /// one, the latest that is left.
  func link(of links: [Step]) -> Step? {
    let left = links.filter { !isErased($0) }
    let sorted = left.sorted { $0.time != $1.time ? $0.time < $1.time : less($0.value, $1.value) }
    return left.count < links.count ? sorted.last : sorted.first
  }

  /// When the key was seen: of one with a mark what its living registers tell, and nothing else.
  func seen(_ key: String) -> ClosedRange<Int>? {
    guard marks[key] != nil else { return times[key] }
    let mine = left.filter { $0.key == key }
    let clear = mine.filter { $0.kind == .clear }.map(\.time).max() ?? .min
    var living = mine.filter { $0.kind == .event }.map(\.time)
    if clear != .min { living.append(clear) }
    if let consent = consents[key] { living.append(consent.time) }
    if let position = location(of: [key]) { living.append(position.time) }
    let attributes = mine.filter {
      [.set, .unset, .addItem, .removeItem].contains($0.kind) && $0.time >= clear
    }
    for steps in Dictionary(grouping: attributes, by: \.name).values {
      let base = steps.filter { $0.kind == .set || $0.kind == .unset }.map(\.time).max()
      if let base { living.append(base) }
      let items = steps.filter { $0.kind == .addItem || $0.kind == .removeItem }
      for item in Dictionary(grouping: items, by: \.value).values {
        let last = item.map(\.time).max() ?? .min
        if last >= base ?? .min { living.append(last) }
      }
    }
    guard let first = living.min(), let last = living.max() else { return nil }
    return first...last
  }

  /// Whether a key that nothing folds into is published.
  func isPublished(_ key: String) -> Bool { marks[key] == nil || seen(key) != nil }

  func isOptedOut(_ key: String) -> Bool { consents[key]?.value == "true" }

  /// The latest place of all keys together.
  func location(of keys: [String]) -> Step? {
    left.filter { $0.kind == .register(.location) && keys.contains($0.key) }.max {
      $0.time != $1.time ? $0.time < $1.time : less($0.value, $1.value)
    }
  }
}
