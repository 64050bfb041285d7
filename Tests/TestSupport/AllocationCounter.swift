import CAllocations

/// Counts the calls of the memory allocator (`malloc` and its relatives) by everything in the
/// process: this program, the Swift libraries, libzstd.
package enum AllocationCounter {
  /// Whether calls can be counted here: not without glibc, nor with a sanitizer.
  package static var isAvailable: Bool { callocations_are_counted() }

  /// Calls made by this thread so far; only differences are meaningful.
  package static var callsOfThread: Int { Int(bitPattern: callocations_of_thread()) }
}
