import CAllocations

/// Counts the calls of the memory allocator (`malloc` and its relatives) by everything in the
/// process: this program, the Swift libraries, libzstd.
package enum AllocationCounter {
  /// Whether calls can be counted here: not without glibc, nor with a sanitizer.
  package static var isAvailable: Bool { callocations_are_counted() }

  /// Makes thrown errors cost no calls, as they do outside of tests: the testing library records
  /// where each is thrown.
  package static func forgetThrownErrors() { callocations_forget_thrown_errors() }

  /// Calls made by this thread so far; only differences are meaningful.
  package static var callsOfThread: Int { Int(bitPattern: callocations_of_thread()) }
}
