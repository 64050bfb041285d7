import Pipeline

/// Bytes that a job hands out piece by piece.
final class Collected: Sendable {
  private let all = Locked<[UInt8]>([])

  func add(_ piece: [UInt8]) { all.withLock { $0 += piece } }

  var bytes: [UInt8] { all.withLock { $0 } }
}
