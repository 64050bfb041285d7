/// For how long something waited, when it waits again and again, perhaps several of a kind at once.
///
/// Plain numbers: who owns it, locks it and reads the clock.
struct WaitingTime {
  private var nanoseconds: UInt64 = 0
  private var waiting = 0
  private var since: UInt64 = 0

  /// Notes that from `now` on, in nanoseconds of any clock, `count` wait.
  mutating func change(to count: Int, now: UInt64) {
    nanoseconds = total(now: now)
    waiting = count
    since = now
  }

  /// Nanoseconds waited until `now`, summed over all that waited.
  func total(now: UInt64) -> UInt64 { nanoseconds + UInt64(waiting) * (now &- since) }
}
