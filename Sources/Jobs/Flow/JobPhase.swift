/// A part of a job that takes time, in the order in which jobs go through them.
package enum JobPhase: Int, CaseIterable, Sendable {
  /// Reads the inputs to find out who has opted out (`--honor-opt-out`).
  case consent
  case reading
  /// Reads the output and the inputs again (`migrate --verify`).
  case proving
  case merging
  case publishing

  /// The name in a progress line.
  package var name: String {
    switch self {
    case .consent: "reading consent"
    case .reading: "reading"
    case .proving: "verifying"
    case .merging: "merging"
    case .publishing: "publishing"
    }
  }

  /// Approximate duration relative to the other phases. Only estimates depend on it: the share of
  /// the whole job that a bar shows, and the time left for later phases.
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
