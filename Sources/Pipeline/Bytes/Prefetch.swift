public import CSIMD

/// Asks the processor for the cache line at `address`, so that it is there when it is needed a
/// little later. Nothing is read, so any address will do.
@inlinable
package func prefetch(_ address: UnsafeRawPointer) { unsafe csimd_prefetch(address) }
