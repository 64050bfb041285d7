import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Functions of the C library under names that no method hides.

private func systemRead(_ file: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, base, count)
}

private func systemWrite(_ file: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, base, count)
}

// All calls that take memory or return it: the other files make them through these.
//
// Invariants: what a call gets lives until it returns, or as long as the process; what it returns
// is copied before the next call.

// MARK: - By name

extension System {
  /// Opens `path` with those flags of `open(2)`; a new file gets read and write permissions.
  func openFile(
    _ path: String, _ flags: Int32, as call: Call = .open
  ) throws(SystemError) -> Int32 {
    try attempt(call) { unsafe open(path, flags | O_CLOEXEC, 0o666) }
  }

  func create(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_WRONLY | O_CREAT | O_EXCL, as: .create)
  }

  /// Opens the lock file `path`, creating it if needed, without blocking.
  func openLock(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  func openDirectory(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens the directory `name`, which must not be a link, in an open directory, if there is one.
  func openFolder(_ name: [CChar], in directory: Int32?) throws(SystemError) -> Int32 {
    try attempt(.open) {
      unsafe openat(
        directory ?? AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  /// The status of `path`; of a symbolic link itself unless `following`.
  func status(of path: String, following: Bool = true) throws(SystemError) -> FileStatus {
    var raw = stat()
    try attempt(.status) { following ? unsafe stat(path, &raw) : unsafe lstat(path, &raw) }
    return FileStatus(raw)
  }

  /// Of `name` in an open directory, without following links.
  func kind(
    of name: [CChar], in directory: Int32 = AT_FDCWD
  ) throws(SystemError) -> (kind: FileStatus.Kind, isMount: Bool) {
    var isMount: Int32 = 0
    let mode = try attempt(.status) { unsafe csystem_mode(directory, name, &isMount) }
    return (FileStatus.Kind(mode: mode_t(mode)), isMount != 0)
  }

  /// The absolute path of `path` without links, `.` and `..`.
  func realPath(of path: String) throws(SystemError) -> String {
    var real = ""
    try attempt(.resolve) {
      guard let text = unsafe realpath(path, nil) else { return Int32(-1) }
      real = unsafe String(cString: text)
      unsafe free(text)
      return 0
    }
    return real
  }

  package func work(in path: String, doing: String) throws(Failure) {
    _ = try System.explained(doing, path, for: .reading, attempt(.enter) { unsafe chdir(path) })
  }

  /// Free bytes for this user in the file system of `path`, which must exist.
  package func freeSpace(at path: String) throws(Failure) -> Int {
    var system = statvfs()
    _ = try System.explained(
      "looking for free space at", path, for: .reading,
      attempt(.space) { unsafe statvfs(path, &system) })
    return System.bytes(blocks: UInt64(system.f_bavail), of: UInt64(system.f_frsize))
  }

  func makeDirectory(_ path: String) throws(SystemError) {
    try attempt(.makeDirectory) { unsafe mkdir(path, 0o777) }
  }

  func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
    try attempt(.setMode) { unsafe chmod(path, mode_t(mode)) }
  }

  func linkFile(_ path: String, as other: String) throws(SystemError) {
    try attempt(.link) { unsafe link(path, other) }
  }

  func linkName(_ path: String, to target: String) throws(SystemError) {
    try attempt(.link) { unsafe symlink(target, path) }
  }

  /// Renames `path` to `other`; atomic. A directory replaces an empty directory.
  func move(_ path: String, to other: String) throws(SystemError) {
    try attempt(.move) { unsafe rename(path, other) }
  }

  func exchange(_ one: String, _ other: String) throws(SystemError) {
    try attempt(.exchange) { unsafe csystem_exchange(one, other) }
  }

  /// Removes a file or a symbolic link; a missing one is not an error.
  func removeFile(_ path: String) throws(SystemError) {
    do {
      try attempt(.removeFile) { unsafe unlink(path) }
    } catch {
      if !error.isMissing { throw error }
    }
  }

  func removeFile(_ name: [CChar], in directory: Int32) throws(SystemError) {
    try attempt(.removeFile) { unsafe unlinkat(directory, name, 0) }
  }

  func removeDirectory(_ name: [CChar], in directory: Int32? = nil) throws(SystemError) {
    try attempt(.removeDirectory) { unsafe unlinkat(directory ?? AT_FDCWD, name, AT_REMOVEDIR) }
  }

  // MARK: By descriptor

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var raw = stat()
    try attempt(.status) { unsafe fstat(descriptor, &raw) }
    return FileStatus(raw)
  }

  /// Appends up to `limit` bytes to `buffer` and returns how many; 0 at the end of the file. With
  /// `offset` they are read there, without moving the file position.
  func read(
    _ descriptor: Int32, _ limit: Int, at offset: Int? = nil, into buffer: inout ByteBuffer
  ) throws(SystemError) -> Int {
    let before = buffer.count
    try unsafe buffer.append(room: limit) { target throws(SystemError) in
      try transfer(.read, limit) { count in
        guard let offset else { return unsafe systemRead(descriptor, target, count) }
        return unsafe pread(descriptor, target, count, off_t(offset))
      }
    }
    return buffer.count - before
  }

  /// Writes all bytes; waits where the descriptor does not block and is not ready. With `offset`
  /// they are written there, without moving the file position.
  package func write(
    all bytes: ByteView, to descriptor: Int32, at offset: Int? = nil
  ) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      do throws(SystemError) {
        let written = try transfer(.write, rest.count) { count in
          guard let offset else { return unsafe systemWrite(descriptor, rest.base, count) }
          let position = offset + bytes.count - rest.count
          return unsafe pwrite(descriptor, rest.base, count, off_t(position))
        }
        // A write of 0 bytes without an error would be repeated endlessly.
        if written == 0 { throw SystemError(code: EIO) }
        rest = rest.dropFirst(written)
      } catch {
        guard error.code == EAGAIN else { throw error }
        var interests = [Interest(number: descriptor, direction: .writing)]
        try wait(for: &interests)
      }
    }
  }

  func replaceContent(of descriptor: Int32, with text: ByteView) throws(SystemError) {
    try attempt(.write) { ftruncate(descriptor, 0) }
    try write(all: text, to: descriptor)
  }

  /// Sends as much of `bytes` as a socket accepts without blocking; a closed end raises no signal.
  func send(_ bytes: ByteView, to descriptor: Int32) throws(SystemError) -> Int {
    try transfer(.send, bytes.count) {
      unsafe sendto(descriptor, bytes.base, $0, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), nil, 0)
    }
  }

  /// The names in an open directory except `.` and `..`, zero-terminated, unsorted; closes it.
  func rawNames(in descriptor: Int32) throws(SystemError) -> [[CChar]] {
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    defer { unsafe closedir(stream) }
    var names: [[CChar]] = []
    while true {
      // Only for fault injection: readdir distinguishes an error from the end only by errno.
      try attempt(.list) { 0 }
      errno = 0
      guard let name = unsafe csystem_next_name(stream) else {
        if errno != 0 { throw SystemError(code: errno) }
        return names
      }
      // SAFETY: the name ends with a zero byte, and is copied before the next call.
      let bytes = unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
      if bytes != [0x2E, 0] && bytes != [0x2E, 0x2E, 0] { names.append(bytes) }
    }
  }
}

// MARK: - Processes and threads

extension System {
  /// Waits until at least one of `interests` is ready, and marks those that are.
  func wait(for interests: inout [Interest], timeout: Int32 = -1) throws(SystemError) {
    var polled = interests.map {
      pollfd(fd: $0.number, events: Int16($0.direction == .reading ? POLLIN : POLLOUT), revents: 0)
    }
    let count = nfds_t(polled.count)
    try attempt(.poll) { unsafe poll(&polled, count, timeout) }
    for index in interests.indices { interests[index].isReady = polled[index].revents != 0 }
  }

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
    try attempt(.connect) { unsafe socketpair(AF_UNIX, type, 0, &ends) }
    // Above 2, because these are open (``openStandardDescriptors()``): a child's standard
    // descriptors do not overwrite its end.
    return Connection(
      ours: Descriptor(owning: ends[0], system: self),
      theirs: Descriptor(owning: ends[1], system: self))
  }

  /// Calls `body` on a new thread. Throws, when a limit of processes or of memory allows none.
  package func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(ThreadStart(body))
    do throws(SystemError) {
      try attempt(.thread) { () -> Int32 in
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

/// A running child process, killed and reaped at the end of its life unless it was waited for.
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

    let path = System.environment["PATH"] ?? "/usr/bin:/bin"
    let words = CStrings([command] + arguments)
    let environment = CStrings(["PATH=\(path)", "LC_ALL=C"])
    var id: pid_t = 0
    try system.attempt(.spawn) {
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
    try system.attempt(.collect) { unsafe waitpid(id, &status, 0) }
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

// MARK: - Machine

extension System {
  /// The name of this machine, for display; nil when it has none.
  package static var hostName: String? {
    let name = text { unsafe gethostname(&$0, $0.count - 1) }
    return name == "" ? nil : name
  }

  package static func words(of code: Int32) -> String {
    text { unsafe strerror_r(code, &$0, $0.count) } ?? "error \(code)"
  }

  /// The text that `fill` writes into its buffer; nil when it returns an error.
  private static func text(_ fill: (inout [CChar]) -> Int32) -> String? {
    var room = [CChar](repeating: 0, count: 257)
    guard fill(&room) == 0 else { return nil }
    return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Nanoseconds of processor time of the calling thread so far, including kernel time.
  package static var threadNanoseconds: UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The command line. The Swift runtime would read it from `/proc`, which a container or a chroot
  /// may lack.
  static var rawArguments: [[UInt8]] {
    #if canImport(Glibc)
      unsafe texts { unsafe csystem_argument($0) }
    #else
      unsafe texts { unsafe UnsafePointer(CommandLine.unsafeArgv[Int($0)]) }
    #endif
  }

  /// The environment, as NAME=VALUE.
  static var rawVariables: [[UInt8]] { unsafe texts { unsafe csystem_variable($0) } }

  private static func texts(_ text: (Int32) -> UnsafePointer<CChar>?) -> [[UInt8]] {
    // SAFETY: this program changes neither its arguments nor its environment.
    var texts: [[UInt8]] = []
    while let text = unsafe text(Int32(texts.count)) {
      unsafe texts.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    }
    return texts
  }

  /// Ends the process with `code` and `message` on standard error when memory runs out.
  static func end(with code: Int32, _ message: String) {
    // SAFETY: the text is kept as long as the process lives.
    guard let kept = unsafe strdup(message) else { return }
    unsafe csystem_end_without_memory(kept, strlen(kept), code)
  }

  // MARK: Terminal

  /// Opens missing standard descriptors, so that no file gets their numbers. None of them can be
  /// read: a closed standard input is not an empty one.
  package static func openStandardDescriptors() {
    for number in 0..<Descriptor.firstFree where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is that of the missing descriptor.
      _ = unsafe open("/dev/null", O_WRONLY)
    }
  }

  /// Columns of the terminal with that descriptor; nil when it does not report them.
  package static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    let result = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Blocks those of `signals` that are not ignored for ``nextSignal(of:within:)``, or unblocks
  /// them. Must be called before there are other threads.
  package static func block(_ signals: [Int32], _ blocks: Bool) {
    var set = unignored(signals)
    _ = unsafe pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &set, nil)
  }

  /// Waits for one of the blocked `signals`; nil after that many milliseconds without one.
  package static func nextSignal(of signals: [Int32], within milliseconds: Int?) -> Int32? {
    var set = unignored(signals)
    var timeout = timespec()
    if let milliseconds {
      timeout.tv_sec = milliseconds / 1000
      timeout.tv_nsec = milliseconds % 1000 * 1_000_000
    }
    while true {
      let number =
        unsafe milliseconds == nil ? sigwaitinfo(&set, nil) : sigtimedwait(&set, nil, &timeout)
      if number > 0 { return number }
      if errno == EAGAIN { return nil }
    }
  }

  private static func unignored(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals {
      var present = sigaction()
      _ = unsafe sigaction(signal, nil, &present)
      let handler = unsafe present.__sigaction_handler.sa_handler
      if unsafe unsafeBitCast(handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
        unsafe sigaddset(&set, signal)
      }
    }
    return set
  }
}
