import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Pipeline

/// The watcher ends the program when Dispatch waits for a thread, and only then. A suspended queue
/// stands for one whose thread does not come.
@Suite struct ThreadSupplyConcurrencyTests {
  private let supply = ThreadSupply()
  private let queue = DispatchQueue(label: "queue")

  private func isStuck(within ticks: Int) -> Bool {
    for _ in 0..<ticks where supply.tick() != nil { return true }
    return false
  }

  @Test func aPieceThatDoesNotBeginIsNoticed() {
    #expect(!isStuck(within: 1000), "nothing to do is not waiting")
    queue.suspend()
    let done = DispatchSemaphore(value: 0)
    supply.submit(to: queue, usesCore: true) { done.signal() }
    #expect(!isStuck(within: ThreadSupply.patience - 1))
    let failure = supply.tick()
    #expect(failure?.kind == .limit)
    #expect(failure?.message.contains("ulimit -u") == true)
    queue.resume()
    done.wait()
    queue.sync {}
    #expect(!isStuck(within: 1000), "it has begun and ended")
  }

  @Test func progressIsNotWaiting() {
    queue.suspend()
    let group = DispatchGroup()
    for _ in 0..<5 {
      group.enter()
      supply.submit(to: queue, usesCore: true) { group.leave() }
      #expect(!isStuck(within: ThreadSupply.patience - 1))
    }
    queue.resume()
    group.wait()
  }

  /// A piece that waits for the outside keeps no core busy.
  @Test(arguments: [true, false]) func onlyABusyCoreExcusesWaiting(usesCore: Bool) {
    let isBegun = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    supply.submit(to: queue, usesCore: usesCore) {
      isBegun.signal()
      goesOn.wait()
    }
    isBegun.wait()
    let other = DispatchQueue(label: "other")
    other.suspend()
    supply.submit(to: other, usesCore: true) { done.signal() }
    #expect(isStuck(within: usesCore ? 1000 : ThreadSupply.patience) == !usesCore)
    other.resume()
    goesOn.signal()
    done.wait()
  }

  /// Dispatch gives its threads the nice value 0, if it may.
  @Test func piecesHaveTheNiceValueOfTheProcess() async {
    await #expect(processExitsWith: .success) {
      _ = nice(5)
      System.noteNiceness()
      let done = DispatchSemaphore(value: 0)
      ThreadSupply.shared.submit(to: DispatchQueue(label: "queue"), usesCore: true) {
        let status = try? String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
        precondition(status?.split(separator: " ")[18] == "5", "\(status ?? "")")
        done.signal()
      }
      done.wait()
    }
  }
}
