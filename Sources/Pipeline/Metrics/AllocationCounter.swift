/// Counts the calls of the memory allocator.
package enum AllocationCounter {
  /// Whether calls can be counted on this system.
  package static var isAvailable: Bool { false }
  /// Calls made by this thread since counting began.
  package static var callsOfThread: Int { 0 }
  /// Calls made by the process since counting began.
  package static var calls: Int { 0 }
}
