import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct Interest {
  enum Direction { case reading, writing }

  let number: Int32
  let direction: Direction
  /// Whether reading or writing will not block: there are bytes or room, or it is the end.
  var isReady = false
}

extension System {
  /// Makes the system send SIGTERM to this process when its parent ends; false when the parent has
  /// ended or that is not supported. The calling thread must live as long as the process.
  package static func endWithParent() -> Bool {
    let parent = getppid()
    return csystem_signal_with_parent(SIGTERM) == 0 && getppid() == parent
  }

  /// The nice value with which the process was started.
  private static let niceness = csystem_niceness()

  /// Remembers the nice value of the process. Must be called by its first thread.
  package static func noteNiceness() { _ = niceness }

  /// Gives the calling thread the nice value of the process: Dispatch creates threads with 0.
  static func keepNiceness() { if niceness != 0 { csystem_set_niceness(niceness) } }

  /// Milliseconds that a reader waits for bytes with its core when no other work is behind.
  private static let shortWait: Int32 = 2

  /// Waits until at least one of `interests` is ready, and marks those that are; meanwhile other
  /// work uses a borrowed core.
  func wait(for interests: inout [Interest], giving cores: CoreQueues?) throws(SystemError) {
    guard let cores else { return try wait(for: &interests) }
    // The next bytes often come sooner than a core can be returned and borrowed again.
    try cores.whileWaiting(isLent: false) { () throws(SystemError) in
      try wait(for: &interests, timeout: ThreadSupply.shared.isBehind ? 0 : System.shortWait)
    }
    if interests.contains(where: \.isReady) { return }
    try cores.whileWaiting { () throws(SystemError) in try wait(for: &interests) }
  }

  /// Has a pipe hold as much as an ordinary user may ask for, so that its reader waits less often.
  /// One that may not works as well.
  static func enlargePipe(_ number: Int32) { csystem_enlarge_pipe(number, 1 << 20) }

  /// A duplicate of the descriptor, above the standard ones.
  func duplicate(_ number: Int32) throws(SystemError) -> Int32 {
    try attempt(.duplicate) { fcntl(number, F_DUPFD_CLOEXEC, Descriptor.firstFree) }
  }
}

struct Connection: ~Copyable {
  let ours: Descriptor
  let theirs: Descriptor

  consuming func keepOurs() -> Descriptor { ours }
}

/// Whether the calling thread may keep a core busy, and whose core that is.
enum ThreadCore: Int32 {
  case none, own, borrowed

  static var current: ThreadCore { ThreadCore(rawValue: csystem_core()) ?? .none }

  func during<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let before = csystem_core()
    csystem_set_core(rawValue)
    defer { csystem_set_core(before) }
    return try body()
  }
}

extension System {
  /// Bytes of a thread's stack, regardless of `ulimit -s`.
  static let stackSize = 4 << 20

  /// How many more threads can exist at the same time, up to `wanted`. Gives all threads without a
  /// size of their own, as those of Dispatch, stacks of ``stackSize``.
  static func availableThreads(upTo wanted: Int) -> Int {
    csystem_set_stack_size(stackSize)
    return Int(csystem_available_threads(Int32(clamping: wanted)))
  }

  /// Checks what Dispatch needs once a second, and ends the process without: that the reserved
  /// descriptors can be opened, and the status of a thread.
  static func checkReservedDescriptors() throws(Failure) {
    guard csystem_has_descriptors(Int32(reservedDescriptors)) else {
      let error = SystemError(code: EMFILE)
      throw Failure(.io, doing: "starting", why: error.words, advice: error.advice(.reading))
    }
    guard csystem_has_thread_status() else {
      throw Failure(
        .io, doing: "starting", why: "/proc does not show the threads of this process",
        advice: "mount /proc, of the same PID namespace, and run again")
    }
  }
}
