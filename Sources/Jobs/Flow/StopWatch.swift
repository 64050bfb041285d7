import Dispatch

/// Time since it was made, for reports only: no result depends on it.
package struct StopWatch: Sendable {
  private let start = DispatchTime.now().uptimeNanoseconds

  package init() {}

  /// Seconds since the watch was made.
  package var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }
}
