import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Bytes of a thread's stack, whatever `ulimit -s` says.
  private static let stackSize = 4 << 20

  /// Calls `body` on a new thread.
  /// - Throws: why there is no thread: a limit of processes or of memory.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(ThreadStart(body))
    do throws(SystemError) {
      _ = try attempt(.thread) { () -> Int32 in
        let code: Int32 = unsafe csystem_start_thread(
          System.stackSize,
          { start in
            // SAFETY: the new thread is the one that takes over what was retained for it.
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

/// What a new thread is to do.
private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
