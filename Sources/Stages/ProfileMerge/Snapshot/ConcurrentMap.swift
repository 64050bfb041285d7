import Dispatch
import Pipeline

/// The results of `body` for 0 to `count - 1`, in order, each worked out on whatever thread is free.
func concurrentMap<Result: Sendable>(
  _ count: Int, _ body: @Sendable (Int) -> Result
) -> [Result] {
  let results = Locked([Result?](repeating: nil, count: count))
  DispatchQueue.concurrentPerform(iterations: count) { index in
    let result = body(index)
    results.withLock { $0[index] = result }
  }
  return results.withLock { $0.compactMap(\.self) }
}
