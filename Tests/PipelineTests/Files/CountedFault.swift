import Foundation
import Testing

@testable import Pipeline

extension Ownership {
  private static let files = ["profiles/part", "state/deep/er/part", "state/part", "manifest.json"]

  /// Recognises the outputs of these tests: directories with a file `manifest.json`.
  static let small = Ownership(
    published: { path, system throws(Failure) in
      let manifest = "\(path)/manifest.json"
      guard try system.statusIfAny(of: manifest, doing: "testing") != nil else {
        return .none("is not an output")
      }
      var own = OwnFiles(files)
      own.mark = "manifest.json"
      return own
    },
    hidden: { _, _ in
      var own = OwnFiles(
        files, templates: ["open", "report.json", "spill/a/x", "unfinished, but not meant"])
      own.mark = "manifest.json"
      return own
    },
    isOutput: { path, system throws(Failure) in
      try system.statusIfAny(of: "\(path)/manifest.json", doing: "testing") != nil
    })

  /// Recognises what is kept of a job that failed: its report.
  static let rejected = Ownership(
    published: { _, _ in OwnFiles(["report.json"]) }, hidden: small.hidden,
    isOutput: small.isOutput)
}

/// The system with a fault at a counted call, once or permanently.
final class CountedFault: @unchecked Sendable {
  // @unchecked because everything is touched within `lock`.
  private let lock = NSLock()
  private let fault: System.Fault
  private let calls: Set<System.Call>
  private let isLasting: Bool
  private var countdown: Int

  init(
    _ fault: System.Fault, at number: Int,
    of calls: [System.Call] = System.Call.allCases, lasting: Bool = false
  ) {
    self.fault = fault
    self.calls = Set(calls)
    isLasting = lasting
    countdown = number
  }

  var hasHappened: Bool { lock.withLock { countdown < 0 } }

  func next(_ call: System.Call) -> System.Fault? {
    lock.withLock {
      guard calls.contains(call) else { return nil }
      countdown -= 1
      return countdown == -1 || isLasting && countdown < 0 ? fault : nil
    }
  }

  var system: System { System { self.next($0) } }
}
