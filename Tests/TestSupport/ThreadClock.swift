import Foundation

/// Time that one thread has worked: what other threads and processes do does not count.
package enum ThreadClock {
  package static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
