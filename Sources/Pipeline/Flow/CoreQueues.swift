import Dispatch
import Synchronization

/// The cores that a job may keep busy: `--jobs` of them, targets of any number of queues
/// (architecture, "Queues"). Any thread.
///
/// For as many cores as processors the target is Dispatch's global queue, which has a thread per
/// processor, and more while they wait. Fewer cores are serial queues. A piece of work is about the
/// size of a block. It keeps its core while it waits, unless its queue has none: then it borrows a
/// core, and returns it while it waits (``whileWaiting(isLent:_:)``).
package final class CoreQueues: Sendable {
  /// Most cores and jobs. The global queue cannot keep account of more than 254 threads.
  package static let most = 128

  package let count: Int

  private let targets: [DispatchQueue]
  private let start = CoreQueues.now
  private let busy = Atomic<UInt64>(0)
  private let waitedForBytes = Atomic<UInt64>(0)
  private let returned = DispatchSemaphore(value: 0)

  /// `wanted` cores, or fewer if there are not enough threads.
  /// - Throws: `limit`, when there are not enough threads for one.
  package init(_ wanted: Int, threads: Int = ThreadSupply.available) throws(Failure) {
    precondition(wanted > 0, "work needs at least one core")
    count = min(try ThreadSupply.require(wanted, threads: threads), CoreQueues.most)
    targets =
      count >= System.processors
      ? [.global()] : (0..<count).map { DispatchQueue(label: "core \($0)", target: .global()) }
  }

  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Nanoseconds without work since the cores were created, summed over them.
  package var idle: UInt64 {
    let total = UInt64(count) * (Self.now - start)
    return total - min(total, busy.load(ordering: .relaxed))
  }

  /// Nanoseconds in which borrowers waited for something external, and then for a core.
  var waited: UInt64 { waitedForBytes.load(ordering: .relaxed) }

  /// A serial queue on core `number`, counted around.
  func queue(_ label: String, core number: Int) -> SerialQueue {
    let queue = DispatchQueue(label: label, target: targets[number % targets.count])
    return SerialQueue(queue, usesCore: true) { piece in
      let start = Self.now
      ThreadCore.own.during(piece)
      self.busy.wrappingAdd(Self.now - start, ordering: .relaxed)
    }
  }

  /// A serial queue for pieces that wait for something external. Each borrows a core.
  func waitingQueue(_ label: String) -> SerialQueue {
    SerialQueue(DispatchQueue(label: label), usesCore: false) { self.withCore($0) }
  }

  /// Calls `body` on this thread with a core: its own, or a borrowed one.
  package func withCore<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if ThreadCore.current != .none { return try body() }
    borrow()
    defer { returned.signal() }
    return try ThreadCore.borrowed.during(body)
  }

  /// Calls `wait`; meanwhile other work uses the core, if it is a borrowed one and `isLent`.
  func whileWaiting<Result: ~Copyable, Failure: Error>(
    isLent: Bool = true, _ wait: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = Self.now
    let isBorrowed = isLent && ThreadCore.current == .borrowed
    if isBorrowed { returned.signal() }
    defer {
      if isBorrowed { borrow() }
      waitedForBytes.wrappingAdd(Self.now - start, ordering: .relaxed)
    }
    return try wait()
  }

  /// Waits until the first core, that of the reader, is this thread's.
  private func borrow() {
    let isGranted = DispatchSemaphore(value: 0)
    queue("lent", core: 0).submit { [returned] in
      isGranted.signal()
      returned.wait()
    }
    isGranted.wait()
  }

  /// The results of `body` for 0 to `count - 1`. No piece of work may call it.
  package func map<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    precondition(ThreadCore.current == .none, "a piece of work waits for another one")
    let results = Locked([Result?](repeating: nil, count: count))
    let queue = WorkQueue("map", lanes: self.count, cores: self)
    let group = DispatchGroup()
    for index in 0..<count {
      group.enter()
      queue.submit { _ in
        let result = body(index)
        results.withLock { $0[index] = result }
        group.leave()
      }
    }
    group.wait()
    return results.withLock { $0.compactMap(\.self) }
  }
}

/// A serial queue of a job. Measures how long it had nothing to do.
final class SerialQueue: Sendable {
  private let queue: DispatchQueue
  private let usesCore: Bool
  private let run: @Sendable (@Sendable () -> Void) -> Void
  private let state = Locked((pending: 0, waited: WaitingTime(since: CoreQueues.now)))

  fileprivate init(
    _ queue: DispatchQueue, usesCore: Bool,
    _ run: @escaping @Sendable (@Sendable () -> Void) -> Void
  ) { (self.queue, self.usesCore, self.run) = (queue, usesCore, run) }

  /// Nanoseconds without a piece since the queue was created.
  var waited: UInt64 { state.withLock { $0.waited.total(now: CoreQueues.now) } }

  /// Submits a piece of work, about the size of a unit.
  func submit(_ piece: @escaping @Sendable () -> Void) {
    change(by: 1)
    ThreadSupply.shared.submit(to: queue, usesCore: usesCore) {
      self.run(piece)
      self.change(by: -1)
    }
  }

  private func change(by difference: Int) {
    state.withLock { state in
      state.pending += difference
      state.waited.change(to: state.pending == 0 ? 1 : 0, now: CoreQueues.now)
    }
  }
}
