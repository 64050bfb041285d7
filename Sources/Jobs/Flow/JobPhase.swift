/// A part of a job that takes time, in the order in which jobs go through them.
package enum JobPhase: Int, CaseIterable, Sendable {
  /// Reads the inputs to learn who has opted out (`--honor-opt-out`).
  case consent
  case reading
  /// Reads again what was written, and the inputs (`migrate --verify`).
  case proving
  case merging
  case publishing

  /// What a progress line calls it.
  package var name: String {
    switch self {
    case .consent: "reading consent"
    case .reading: "reading"
    case .proving: "verifying"
    case .merging: "merging"
    case .publishing: "publishing"
    }
  }

  /// About how long it takes, compared with the others. Only guesses depend on it: the share of the
  /// whole job that a bar shows, and the time left for phases that have not begun.
  package var weight: Double {
    switch self {
    case .consent: 50
    case .reading: 70
    case .proving: 100
    case .merging: 27
    case .publishing: 3
    }
  }
}
