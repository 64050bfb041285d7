#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system, as files and processes: every call of the C library that can fail, each in one
/// place, so that a test can make any one of them fail.
///
/// Only the `System` files call the C library; everything else says what it wants in the terms of
/// files. A value is handed to whatever works with files, ``real`` unless a test wants to see
/// faults. A call that a signal interrupts is made again. Paths are as the caller's working
/// directory has them. Any thread.
package struct System: Sendable {
  /// A kind of system call.
  package enum Call: Sendable, CaseIterable {
    // Files and directories by their names.
    case open, create, status, resolve, space
    case makeDirectory, setMode, link, move, exchange, removeFile, removeDirectory
    // What is open.
    case read, write, synchronize, lock, duplicate, list, close
    // Processes, and talking to them.
    case connect, spawn, send, poll, collect
    case thread
  }

  /// What a test makes of a call, instead of what the system would.
  package enum Fault: Sendable {
    /// The call does nothing and fails with this `errno`.
    case error(Int32)
    /// The call moves at most that many bytes; means something for `read`, `write` and `send`.
    case short(Int)
  }

  /// Asked before every call; nil lets it happen.
  package typealias Faults = @Sendable (Call) -> Fault?

  private let faults: Faults?

  /// The system as it is.
  package static let real = System()

  /// The system with `faults`, for tests.
  package init(faults: Faults? = nil) { self.faults = faults }

  /// The number of this process, for names that no other living process uses.
  package static var processID: Int { Int(getpid()) }

  /// Makes a call until no signal interrupts it.
  /// - Throws: what it left in `errno`, when it returns a negative number.
  func attempt<Value: SignedInteger>(
    _ call: Call, _ body: () -> Value
  ) throws(SystemError) -> Value {
    try transfer(call, .max) { _ in body() }
  }

  /// Makes a call that moves up to `count` bytes, which `body` is told, until no signal interrupts
  /// it.
  /// - Throws: what it left in `errno`, when it returns a negative number.
  func transfer<Value: SignedInteger>(
    _ call: Call, _ count: Int, _ body: (Int) -> Value
  ) throws(SystemError) -> Value {
    while true {
      let code: Int32
      switch faults?(call) {
      case .error(let injected): code = injected
      case let fault:
        var limit = count
        if case .short(let bytes)? = fault { limit = min(limit, bytes) }
        let result = body(limit)
        if result >= 0 { return result }
        code = errno
      }
      if code != EINTR { throw SystemError(code: code) }
    }
  }

  /// Gives the descriptor back, whatever happens. Never made again: after a failure, too, the
  /// descriptor is no longer ours.
  func closeFile(_ descriptor: Int32) throws(SystemError) {
    let fault = faults?(.close)
    var code = close(descriptor) < 0 ? errno : 0
    if case .error(let injected)? = fault { code = injected }
    // An interrupted close has closed.
    if code != 0, code != EINTR { throw SystemError(code: code) }
  }

  /// Makes the error of `body`, which changes files, a failure that says what was being done to
  /// which file.
  static func explained<Value>(
    _ doing: String, _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    do {
      return try body()
    } catch {
      throw error.failure(doing: doing, path: path, .writing)
    }
  }
}
