import Pipeline
import Testing

@Suite struct AllocationCounterTests {
  @Test func callsAreCountedWhileSomebodyCounts() {
    let counted: Int? = AllocationCounter.counting {
      let before = AllocationCounter.callsOfThread
      for _ in 0..<100 { touch(ByteBuffer(capacity: 100)) }
      return AllocationCounter.callsOfThread - before
    }
    // Nil under a sanitizer, whose allocator is not counted.
    if let counted { #expect(counted >= 100) }
  }

  @Test func anInnerCountDoesNotEndAnOuterOne() {
    let counted: Int? = AllocationCounter.counting {
      AllocationCounter.counting {}
      let before = AllocationCounter.callsOfThread
      touch(ByteBuffer(capacity: 100))
      return AllocationCounter.callsOfThread - before
    }
    if let counted { #expect(counted >= 1) }
  }

  @Test func theProcessCountsAtLeastWhatTheThreadDoes() {
    let counted: (thread: Int, process: Int)? = AllocationCounter.counting {
      let before = (AllocationCounter.callsOfThread, AllocationCounter.calls)
      for _ in 0..<100 { touch(ByteBuffer(capacity: 100)) }
      return (AllocationCounter.callsOfThread - before.0, AllocationCounter.calls - before.1)
    }
    if let counted { #expect(counted.process >= counted.thread) }
  }

  @inline(never)
  private func touch(_ buffer: consuming ByteBuffer) { buffer.append(UInt8(1)) }
}
