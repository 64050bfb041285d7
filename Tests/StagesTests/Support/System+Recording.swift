import Pipeline

extension System {
  /// A system that appends each call to `calls`, and fails those whose number, from 0, `fault` has
  /// a fault for.
  init(recording calls: Locked<[Call]>, _ fault: @escaping @Sendable (Int) -> Fault?) {
    self.init { call in
      fault(
        calls.withLock { calls in
          calls.append(call)
          return calls.count - 1
        })
    }
  }
}
