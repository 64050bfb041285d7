import CAllocations

/// Counts the calls of the memory allocator (`malloc` and its relatives) by everything in the
/// process: this program, the Swift libraries, libzstd, the C library.
///
/// Costs nothing outside of ``counting(_:)``. Any thread.
package enum AllocationCounter {
  /// Number of counting callers, and whether calls can be counted on this system.
  private static let users = Locked((count: 0, isAvailable: false))

  /// Runs `body` while calls are counted.
  /// - Returns: the result of `body`; nil, without calling it, where calls cannot be counted
  ///   (another system than Linux on x86-64 or ARM64, a static program, a sanitizer).
  @discardableResult
  package static func counting<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard begin() else { return nil }
    defer { end() }
    return try body()
  }

  /// Calls made by this thread while counting was on; only differences are meaningful.
  package static var callsOfThread: Int { Int(bitPattern: callocations_of_thread()) }

  /// Calls made by the process while counting was on; only differences are meaningful.
  package static var calls: Int { Int(bitPattern: callocations_of_process()) }

  private static func begin() -> Bool {
    users.withLock { users in
      if users.count == 0 { users.isAvailable = callocations_begin() > 0 }
      guard users.isAvailable else { return false }
      users.count += 1
      return true
    }
  }

  private static func end() {
    users.withLock { users in
      users.count -= 1
      if users.count == 0 { callocations_end() }
    }
  }
}
