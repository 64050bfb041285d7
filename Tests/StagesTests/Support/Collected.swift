import Pipeline

final class Collected: Sendable {
  private let all = Locked<[UInt8]>([])

  func add(_ piece: [UInt8]) { all.withLock { $0 += piece } }

  var bytes: [UInt8] { all.withLock { $0 } }
}
