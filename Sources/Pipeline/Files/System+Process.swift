import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A descriptor to wait for, and the direction.
struct Interest {
  enum Direction { case reading, writing }

  let number: Int32
  let direction: Direction
  /// Whether reading or writing will not block: there are bytes or room, or it is the end.
  var isReady = false

  init(_ number: Int32, _ direction: Direction) {
    self.number = number
    self.direction = direction
  }
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

  /// Gives the calling thread the nice value of the process. Dispatch gives its threads the value 0
  /// when it creates them.
  static func keepNiceness() { if niceness != 0 { csystem_set_niceness(niceness) } }

  /// Waits until at least one of `interests` is ready, and marks those that are.
  func wait(for interests: inout [Interest], timeout: Int32 = -1) throws(SystemError) {
    var polled = interests.map {
      pollfd(fd: $0.number, events: Int16($0.direction == .reading ? POLLIN : POLLOUT), revents: 0)
    }
    let count = nfds_t(polled.count)
    _ = try attempt(.poll) { unsafe poll(&polled, count, timeout) }
    for index in interests.indices { interests[index].isReady = polled[index].revents != 0 }
  }

  /// Milliseconds that a reader waits for bytes with its core when no other work is behind.
  private static let shortWait: Int32 = 2

  /// The same; meanwhile other work uses a borrowed core.
  func wait(for interests: inout [Interest], giving cores: CoreQueues?) throws(SystemError) {
    guard let cores else { return try wait(for: &interests) }
    // The next bytes often come sooner than a core can be returned and borrowed again.
    try cores.whileWaiting(isLent: false) { () throws(SystemError) in
      try wait(for: &interests, timeout: ThreadSupply.shared.isBehind ? 0 : System.shortWait)
    }
    if interests.contains(where: \.isReady) { return }
    try cores.whileWaiting { () throws(SystemError) in try wait(for: &interests) }
  }

  /// Bytes that a pipe should hold: as many as an ordinary user may ask for.
  private static let pipeSize: Int32 = 1 << 20

  /// Has a pipe hold more, so that its reader waits less often. One that may not works as well.
  static func enlargePipe(_ number: Int32) { csystem_enlarge_pipe(number, pipeSize) }

  /// Two connected ends: bytes written to one are read from the other.
  ///
  /// Sockets rather than a pipe: both ends are close-on-exec from the moment they exist, and a
  /// write to a closed end can be made without a signal.
  func connection() throws(SystemError) -> Connection {
    #if canImport(Musl)
      let type = SOCK_STREAM | SOCK_CLOEXEC
    #else
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    var ends: [Int32] = [0, 0]
    _ = try attempt(.connect) { unsafe socketpair(AF_UNIX, type, 0, &ends) }
    let first = Descriptor(owning: ends[0], system: self)
    let second = Descriptor(owning: ends[1], system: self)
    return Connection(ours: try aboveStandard(first), theirs: try aboveStandard(second))
  }

  /// A descriptor above the standard ones, whose numbers it may have when this program was started
  /// with some of them closed; a child's standard descriptors would overwrite it.
  private func aboveStandard(_ descriptor: consuming Descriptor) throws(SystemError) -> Descriptor {
    if descriptor.number >= Descriptor.firstFree { return descriptor }
    return Descriptor(owning: try duplicate(descriptor.number), system: self)
  }

  /// A duplicate of the descriptor, above the standard ones.
  func duplicate(_ number: Int32) throws(SystemError) -> Int32 {
    try attempt(.duplicate) { fcntl(number, F_DUPFD_CLOEXEC, Descriptor.firstFree) }
  }
}

/// The two ends of a connection to a child process.
struct Connection: ~Copyable {
  let ours: Descriptor
  let theirs: Descriptor

  /// Closes the child's end and keeps ours.
  consuming func keepOurs() -> Descriptor { ours }
}

/// A running child process. Unless it was waited for, it is killed and reaped at the end of its
/// life.
final class ChildProcess {
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  let id: pid_t
  private let system: System
  private var isCollected = false

  /// Starts `command`, searched for in `PATH`, with these three standard descriptors.
  ///
  /// The child's environment is `PATH` and a plain locale, so that no setting changes its output.
  /// It has a process group of its own: an interrupt at the terminal reaches only this program,
  /// which then ends the child.
  init(
    _ command: String, _ arguments: [String], input: borrowing Descriptor,
    output: borrowing Descriptor, errors: borrowing Descriptor, system: System = .real
  ) throws(SystemError) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors.number, STDERR_FILENO)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe posix_spawnattr_setsigmask(&attributes, &usual)
    // This program ignores SIGPIPE; its children must not.
    unsafe sigaddset(&usual, SIGPIPE)
    unsafe sigaddset(&usual, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let words = CStrings([command] + arguments)
    let environment = CStrings(["PATH=\(path)", "LC_ALL=C"])
    var id: pid_t = 0
    _ = try system.attempt(.spawn) {
      errno = unsafe posix_spawnp(
        &id, command, &actions, &attributes, words.pointers, environment.pointers)
      return Int32(errno == 0 ? 0 : -1)
    }
    self.id = id
    self.system = system
  }

  /// Waits until the process ends. Must be called at most once.
  func wait() throws(SystemError) -> Ending {
    precondition(!isCollected, "a child process is waited for once")
    var status: Int32 = 0
    _ = try system.attempt(.collect) { unsafe waitpid(id, &status, 0) }
    isCollected = true
    let signal = status & 0x7F
    return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
  }

  deinit {
    guard !isCollected else { return }
    kill(id, SIGKILL)
    var status: Int32 = 0
    // Not subject to injected faults: the process must always be reaped.
    _ = try? System.real.attempt(.collect) { unsafe waitpid(id, &status, 0) }
  }
}

/// Strings for a C function: zero-terminated, in an array that ends with a null pointer.
@safe private final class CStrings {
  private(set) var pointers: [UnsafeMutablePointer<CChar>?]

  init(_ words: [String]) { unsafe pointers = words.map { unsafe strdup($0) } + [nil] }

  deinit { unsafe pointers.forEach { unsafe free($0) } }
}

// MARK: - Threads

/// Whether the calling thread may keep a core busy, and whose core that is.
enum ThreadCore: Int32 {
  case none, own, borrowed

  static var current: ThreadCore { ThreadCore(rawValue: csystem_core()) ?? .none }

  /// Calls `body` with this as the current one.
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
  private static let stackSize = 4 << 20

  /// How many more threads can exist at the same time, up to `wanted`. Gives all threads that are
  /// created without a size of their own, as those of Dispatch are, stacks of ``stackSize``.
  static func availableThreads(upTo wanted: Int) -> Int {
    csystem_set_stack_size(stackSize)
    return Int(csystem_available_threads(Int32(clamping: wanted)))
  }

  /// Checks what Dispatch needs once a second, and ends the process without: that the reserved
  /// descriptors can be opened, and the status of a thread.
  /// - Throws: `io`, when they cannot.
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

  /// Calls `body` on a new thread.
  /// - Throws: why no thread was created: a limit of processes or of memory.
  package func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(ThreadStart(body))
    do throws(SystemError) {
      _ = try attempt(.thread) { () -> Int32 in
        let code: Int32 = unsafe csystem_start_thread(
          System.stackSize,
          { start in
            // SAFETY: only the new thread releases what was retained for it.
            if let start = unsafe start {
              unsafe Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
            }
            return nil
          }, start.toOpaque())
        if code == 0 { return 0 }
        errno = code
        return -1
      }
    } catch {
      unsafe start.release()
      throw error
    }
  }
}

private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
