import Stages

/// DIALECTS 1.3 read aloud: what erase marks leave of a whole history, per key.
struct NaiveErasure {
  /// The latest mark of each key that has one.
  private let marks: [String: Int]
  /// Earliest time of each event name of each marked key, and of its links.
  private var earliest: [String: Int] = [:]
  private let times: [String: ClosedRange<Int>]
  private let consents: [String: Step]
  /// The steps that are left, marks and consent among them.
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
      guard step.kind == .optOut || step.kind == .optIn else { continue }
      if let other = consents[step.key] {
        if step.time < other.time { continue }
        if step.time == other.time, step.kind == .optIn { continue }
      }
      consents[step.key] = step
    }
    self.marks = marks
    self.times = times
    self.consents = consents
    for step in steps where marks[step.key] != nil && (step.kind == .event || step.kind == .link) {
      let register = Self.register(of: step)
      earliest[register] = min(earliest[register] ?? .max, step.time)
    }
    left = steps.filter { !isErased($0) }
  }

  private static func register(of step: Step) -> String {
    step.kind == .link ? step.key : "\(step.key) \(step.name)"
  }

  /// Whether a mark is about the step: of events and links about all of a register that reaches back to
  /// it, and of events without time about each.
  func isErased(_ step: Step) -> Bool {
    guard let mark = marks[step.key] else { return false }
    if step.time == EventTime.absent { return true }
    switch step.kind {
    case .event, .link: return earliest[Self.register(of: step)] ?? .max <= mark
    case .touch, .optOut, .optIn, .erase: return false
    case .set, .unset, .addItem, .removeItem, .clear, .location: return step.time <= mark
    }
  }

  /// When the key was seen, nothing before its mark.
  func seen(_ key: String) -> ClosedRange<Int>? {
    guard let mark = marks[key] else { return times[key] }
    let isSaid = consents[key].map { $0.time >= mark } ?? false
    guard let times = times[key], isSaid || times.upperBound > mark else { return nil }
    return mark...times.upperBound
  }

  /// Whether a key that nothing folds into is published.
  func isPublished(_ key: String) -> Bool {
    key.hasPrefix("custom:") || marks[key] == nil || seen(key) != nil
  }

  func isOptedOut(_ key: String) -> Bool { consents[key]?.kind == .optOut }

  /// The latest place of all keys together.
  func location(of keys: [String]) -> Step? {
    left.filter { $0.kind == .location && keys.contains($0.key) }.max {
      $0.time != $1.time ? $0.time < $1.time : less($0.value, $1.value)
    }
  }
}
